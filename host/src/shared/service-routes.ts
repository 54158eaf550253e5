import { InvalidConfiguration } from './invalid-configuration.js'
import { FEATURE_ROUTES } from './of-features.js'
import type { WarningCode } from './warning-code.js'

/** The base path if neither the app nor the configuration sets one. */
export const DEFAULT_BASE_PATH = '/auth'

/**
 * The routes of the service with every feature, below its base path. To the adapters every other path belongs to the app.
 */
export const ROUTES = [
  '/csrf',
  '/providers',
  '/session',
  '/signin',
  '/signin/:provider',
  '/callback/:provider',
  '/signout',
  '/error',
  '/jwks.json',
  '/renew',
  '/sessions',
  '/sessions/revoke',
  '/revocations',
  ...FEATURE_ROUTES,
] as const

/** A route of every service, such as `/session`. */
export type CoreRoute = Exclude<(typeof ROUTES)[number], (typeof FEATURE_ROUTES)[number]>

/** The most segments that a route has. */
const DEPTH = 2

/** The route of the metadata, which the origin has at its root as well. */
export const METADATA: (typeof ROUTES)[number] = '/.well-known/openid-configuration'

/** Group: a base path (RFC 8414, section 3.1). */
const METADATA_AT_ROOT =
  /^\/\.well-known\/(?:openid-configuration|oauth-authorization-server)(\/.+)$/

/**
 * The base path that an address of the metadata at the root names; `undefined` for any other path.
 *
 * @example metadataBase('/.well-known/openid-configuration/auth') // '/auth'
 */
export function metadataBase(path: string): string | undefined {
  return METADATA_AT_ROOT.exec(path)?.[1]
}

/** Is this a route of the service, such as `/signin/github`? */
export function isServiceRoute(route: string): boolean {
  if (isListed(route)) return true
  const at = route.indexOf('/', 1)
  if (at === -1 || at === route.length - 1 || route.indexOf('/', at + 1) !== -1) return false
  return isListed(`${route.slice(0, at)}/:provider`)
}

/**
 * Is it below `/operator`, where only a service in this process answers? An app that forwards does not pass it on: an operator asks
 * the service itself.
 */
export function isOperatorRoute(route: string): boolean {
  return /^\/operator\/[^/]+$/.test(route)
}

function isListed(route: string): boolean {
  return (ROUTES as readonly string[]).includes(route)
}

/**
 * Does a path end with a route of the service, below some base path, or is it the metadata at the root? This decides most requests before
 * the configuration is read, an app's own `/account` too. The time is linear in the path's length, however
 * many slashes are in it.
 */
export function endsInServiceRoute(path: string): boolean {
  if (path.startsWith('/.well-known/') && metadataBase(path) !== undefined) return true
  let at = path.length
  for (let depth = 0; depth < DEPTH && at > 0; depth++) {
    at = path.lastIndexOf('/', at - 1)
    if (at <= 0) return false
    const route = path.slice(at)
    if (isServiceRoute(route) || isOperatorRoute(route)) return true
  }
  return false
}

const BASE_PATH = /^(?:\/(?!\.\.?(?:\/|$))[A-Za-z0-9._~-]+)+$/

/** Is it a path such as `/auth`, as it stands in a URL: nothing in it is encoded, or left out like `/..`? */
export function isBasePath(path: string): boolean {
  return BASE_PATH.test(path)
}

/** A base path of the configuration without a slash at its end. @throws {InvalidConfiguration} */
export function parseBasePath(text: string): string {
  const path = text.replace(/\/+$/, '')
  if (isBasePath(path)) return path
  throw new InvalidConfiguration(`The base path "${text}" must look like /auth.`)
}

/**
 * The warning if both the configuration and `AUTH_URL` name the base path: one is enough.
 *
 * @returns its code and text
 * @throws {InvalidConfiguration}
 */
export function statedTwice(
  basePath: string | undefined,
  ofAuthUrl: string | undefined,
): readonly [code: WarningCode, message: string] | undefined {
  if (basePath === undefined || ofAuthUrl === undefined) return undefined
  if (parseBasePath(basePath) === ofAuthUrl) {
    const message = '`basePath` repeats the path of AUTH_URL: leave one out.'
    return ['env-url-basepath-redundant', message]
  }
  const message = `\`basePath\` is ${basePath}, which counts, and the path of AUTH_URL is ${ofAuthUrl}: leave one out.`
  return ['env-url-basepath-mismatch', message]
}
