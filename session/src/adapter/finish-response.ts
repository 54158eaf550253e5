import { replaceCookies } from '../internal/set-cookie.js'

const KEPT_FROM_SHARED_CACHES = /(?:^|[\s,])(?:private|no-store)(?=$|[\s,=])/i

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
  const isKept = cacheControl !== null && KEPT_FROM_SHARED_CACHES.test(cacheControl)
  // A shared cache that stored a cookie would give one person's session to others (RFC 9111, 7.3).
  if (cacheControl === null || (lines.length > 0 && !isKept)) {
    headers.set('cache-control', 'private, no-store')
  }
  if (isUnavailable && answer.status === 503) headers.set('retry-after', '5')
  if (lines.length > 0) {
    const all = replaceCookies(headers.getSetCookie(), lines)
    headers.delete('set-cookie')
    for (const line of all) headers.append('set-cookie', line)
  }
  return answer
}

/** The headers of responses from `fetch` and `Response.redirect` cannot be changed. */
function mutable(response: Response): Response {
  try {
    response.headers.delete('x-latchkey')
    return response
  } catch {
    return new Response(response.body, response)
  }
}
