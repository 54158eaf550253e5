import { isOperatorRoute } from '../shared/service-routes.js'
import { endToEndHeaders } from './end-to-end.js'
import type { HostMessage, HostRequest } from './host-request.js'
import type { PublicOrigin } from './origins.js'
import type { Place } from './place.js'
import type { ServiceCall } from './service.js'

/** Without a callbackUrl, return to this app's root, which may not be the site's. */
export function searchOf(
  { method, target }: HostRequest,
  { route }: Place,
  { origin }: PublicOrigin,
  root: string | undefined,
): string {
  const at = target.indexOf('?')
  const search = at === -1 ? '' : target.slice(at)
  const isPage = method === 'GET' && (route === '/signin' || route === '/signout')
  if (!root || !isPage) return search
  const query = new URLSearchParams(search)
  if (query.has('callbackUrl')) return search
  query.set('callbackUrl', `${origin}${root}/`)
  return `?${query}`
}

/** Did the operator API answer, for a key, that it has no such method? A service without that API answers no JSON. */
export function isOfOperator({ route }: Place, { headers }: Response): boolean {
  return isOperatorRoute(route) && headers.get('content-type') === 'application/json'
}

/** The init of `fetch` and `new Request`. */
export function initOf({ method, headers: given, body, signal }: HostMessage): ServiceCall['init'] {
  const headers = endToEndHeaders(given)
  const init = { method, headers, signal }
  if (method === 'GET' || method === 'HEAD') {
    headers.delete('content-length')
    return init
  }
  // For a body that is a stream: the request is sent before an answer is awaited.
  const sent: ServiceCall['init'] & { duplex: 'half' } = { ...init, body, duplex: 'half' }
  return sent
}
