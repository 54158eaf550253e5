import { replaceCookies } from './merge-cookies.js'

/** Not `private="name"`, which keeps one header alone from shared caches (RFC 9111, 5.2.2.7). */
const KEPT_FROM_SHARED_CACHES = /(?:^|,)\s*(?:private|no-store)\s*(?=$|,)/i

/** The value of an extension may look like a directive. */
const QUOTED = /"(?:[^"\\]|\\.)*"/g

/**
 * What a CDN or the cache of a server obeys instead of Cache-Control: by the standard (RFC 9213, 2.2), by an older
 * name, or by one of Akamai, nginx and LiteSpeed.
 */
const FOR_CDN =
  /(?:^|-)cdn-cache-control$|^(?:surrogate-control|edge-control|x-accel-expires|x-litespeed-cache-control)$/

/**
 * The app's answer with our cookies, kept from caches if it depends on the session.
 *
 * @param isUnavailable the service did not answer: a 503 gets `Retry-After`
 */
export function finishResponse(
  response: Response,
  lines: readonly string[],
  isUnavailable: boolean,
): Response {
  const answer = mutable(response)
  const { headers } = answer
  const cacheControl = headers.get('cache-control')
  const isKept = cacheControl !== null && isKeptFromSharedCaches(cacheControl)
  // A shared cache that stored a cookie would give one person's session to others (RFC 9111, 7.3).
  if (cacheControl === null || (lines.length > 0 && !isKept)) {
    headers.set('cache-control', 'private, no-store')
  }
  if (isUnavailable && answer.status === 503) headers.set('retry-after', '5')
  if (lines.length > 0) {
    for (const name of [...headers.keys()].filter(isForCdn)) headers.delete(name)
    const all = replaceCookies(headers.getSetCookie(), lines)
    headers.delete('set-cookie')
    for (const line of all) headers.append('set-cookie', line)
    keepSo(headers)
  }
  return answer
}

/**
 * Keeps an answer with a cookie from shared caches, also if the handler that has made it, or a hook around ours, sets
 * another header later.
 */
function keepSo(headers: Headers): void {
  if (Object.hasOwn(headers, 'set')) return
  for (const method of ['set', 'append', 'delete'] as const) {
    const change = headers[method].bind(headers) as (name: string, value?: string) => void
    const value = (name: string, value = '') => {
      const decides = /^cache-control$/i.test(name) || (value && isForCdn(`${name}`.toLowerCase()))
      if (!decides || isKeptFromSharedCaches(`${value}`)) change(name, value)
    }
    // An app may spread them.
    Object.defineProperty(headers, method, { value, configurable: true })
  }
}

/** Does a CDN obey this header, by its name in lower case, instead of Cache-Control? */
export function isForCdn(name: string): boolean {
  return FOR_CDN.test(name)
}

/** Does a value of `Cache-Control` keep the whole answer from shared caches? */
export function isKeptFromSharedCaches(cacheControl: string): boolean {
  return KEPT_FROM_SHARED_CACHES.test(cacheControl.replace(QUOTED, ''))
}

/** The app's answer to one user, kept from caches unless the app decides otherwise. */
export function finishPersonal(response: Response): Response {
  return finishResponse(response, [], false)
}

/**
 * A response of this request alone. One without a body may be a constant of the app, which answers other users
 * too: a body is sent once, and headers often. The headers of responses from `fetch` and
 * `Response.redirect` cannot be changed.
 */
function mutable(response: Response): Response {
  // No constructor makes a change of protocols; it belongs to its connection.
  if (response.status !== 101) {
    // Bun has no type of a text in the headers, and forgets it if a body is looked at. A clone has it.
    if ('Bun' in globalThis) {
      if (!response.headers.has('content-type')) return response.clone()
    } else if (response.body === null) return new Response(null, response)
  }
  try {
    response.headers.delete('x-latchkey')
    return response
  } catch {
    return new Response(response.body, response)
  }
}
