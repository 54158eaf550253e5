import { isOfConnection, isServiceRoute, type PublicOrigin } from '@latchkey/session/adapter'
import { appBase } from './app-base.js'
import type { AuthApp } from './auth-app.js'
import type { AuthRequest } from './auth-request.js'
import { bodyOf } from './body-of.js'
import type { KitEvent } from './types.js'

/** The answer to a request for an auth route; `undefined` when it is none, or not one of this service. */
export async function answerAuthRoute(
  app: AuthApp,
  request: AuthRequest,
): Promise<Response | undefined> {
  const { url, request: given, isDataRequest, isRemoteRequest } = request.event
  // Kit has rewritten their URLs, one of them as the client wants it.
  if (isDataRequest || isRemoteRequest || !mayBeServiceRoute(url.pathname)) return undefined
  const settings = await request.settings()
  const route = routeBelow(settings.basePath, url.pathname)
  const service = route === undefined ? undefined : request.serviceOf(settings)
  if (route === undefined || !service) return undefined
  const origin = request.originOf(settings)
  app.warnOf(origin, request.event, settings)
  if (typeof origin === 'string') {
    return new Response(REFUSALS[origin], { status: 400, headers: { 'cache-control': 'no-store' } })
  }
  const { method } = given
  const response = await request.ask(service, settings, {
    route: route + searchOf(request.event, route, origin),
    method,
    body: bodyOf(given),
    origin,
  })
  if (response.status === 404 && !given.bodyUsed) {
    // A route that this service does not have is the app's.
    await response.body?.cancel()
    return undefined
  }
  return endToEnd(response)
}

export const REFUSALS = {
  malformed: 'Malformed Host or X-Forwarded header.',
  'unknown-host': 'Sign-in is not available under this host name.',
} as const

/** The query. Who is on their way to nowhere comes back to this app, whose root may not be the site's. */
function searchOf({ url, request }: KitEvent, route: string, { origin }: PublicOrigin): string {
  const isPage = request.method === 'GET' && (route === '/signin' || route === '/signout')
  if (appBase === '' || !isPage || url.searchParams.has('callbackUrl')) return url.search
  const query = new URLSearchParams(url.search)
  query.set('callbackUrl', `${origin}${appBase}/`)
  return `?${query}`
}

/** Most requests are told apart before the configuration is made. */
function mayBeServiceRoute(pathname: string): boolean {
  for (let at = pathname.indexOf('/', 1); at !== -1; at = pathname.indexOf('/', at + 1)) {
    if (isServiceRoute(pathname.slice(at))) return true
  }
  return false
}

function routeBelow(basePath: string, pathname: string): string | undefined {
  if (!pathname.startsWith(`${basePath}/`) || pathname.includes('%')) return undefined
  const route = pathname.slice(basePath.length)
  return isServiceRoute(route) ? route : undefined
}

/** A response of our own, with each of its cookies, and nothing that speaks of another connection. */
function endToEnd(response: Response): Response {
  const headers = new Headers()
  for (const [name, value] of response.headers) {
    if (name !== 'set-cookie' && !isOfConnection(name)) headers.set(name, value)
  }
  for (const line of response.headers.getSetCookie()) headers.append('set-cookie', line)
  return new Response(response.body, { status: response.status, headers })
}
