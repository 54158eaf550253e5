/** Base path where neither the app nor the configuration says. */
export const DEFAULT_BASE_PATH = '/auth'

/** In the service's own order. What is not here belongs to the app. */
export const ROUTES: readonly string[] = [
  '/csrf',
  '/providers',
  '/session',
  '/signin',
  '/signout',
  '/error',
  '/verify-request',
  '/jwks.json',
  '/renew',
  '/sessions',
  '/sessions/revoke',
  '/revocations',
  '/account',
]
const EXACT = new Set(ROUTES)
const OF_PROVIDER = /^\/(?:signin|callback)\/[^/]+$/

/** Is this the service's own, such as `/signin/github`? */
export function isServiceRoute(route: string): boolean {
  return EXACT.has(route) || OF_PROVIDER.test(route)
}

const BASE_PATH = /^(?:\/[A-Za-z0-9._~-]+)+$/

/** Does it look like `/auth`? Nothing that would have to be encoded. */
export function isBasePath(path: string): boolean {
  return BASE_PATH.test(path)
}
