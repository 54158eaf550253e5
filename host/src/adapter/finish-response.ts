import { replaceCookies } from './merge-cookies.js'

const PRIVATE = 'private, no-store'

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
  if (!headers.has('cache-control')) headers.set('cache-control', PRIVATE)
  if (isUnavailable && answer.status === 503) headers.set('retry-after', '5')
  if (lines.length > 0) {
    for (const [name, value] of [...headers]) {
      const kept = privateHeader(name, value)
      if (kept === undefined) headers.delete(name)
      else if (kept !== value) headers.set(name, kept)
    }
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
  const set = headers.set.bind(headers)
  const append = headers.append.bind(headers)
  const remove = headers.delete.bind(headers)
  const own: Pick<Headers, 'set' | 'append' | 'delete'> = {
    set(name, value) {
      const kept = privateHeader(name, value)
      if (kept !== undefined) set(name, kept)
    },
    append(name, value) {
      if (privateHeader(name, value) === value) append(name, value)
    },
    delete(name) {
      if (privateHeader(name, '') !== PRIVATE) remove(name)
    },
  }
  for (const [method, value] of Object.entries(own)) {
    // An app may spread them.
    Object.defineProperty(headers, method, { value, configurable: true })
  }
}

/**
 * The value of a header in an answer with a session cookie. A shared cache that stored the cookie would give one person's session
 * to others (RFC 9111, 7.3), so Cache-Control keeps the answer from it, and no header says otherwise to a CDN.
 *
 * @param value as the app has it; that of any other header stays
 * @returns `undefined`: the header is left out
 * @example privateHeader('Cache-Control', 'public, max-age=60') // 'private, no-store'
 */
export function privateHeader<Value>(name: string, value: Value): Value | string | undefined {
  const lower = `${name}`.toLowerCase()
  const isForCdn = FOR_CDN.test(lower)
  if (!isForCdn && lower !== 'cache-control') return value
  if (isKeptFromSharedCaches(`${value}`)) return value
  return isForCdn ? undefined : PRIVATE
}

/** Does a value of `Cache-Control` keep the whole answer from shared caches? */
function isKeptFromSharedCaches(cacheControl: string): boolean {
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
