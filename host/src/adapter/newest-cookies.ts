import { finishResponse } from './finish-response.js'
import type { Host } from './host.js'
import type { HostRequest } from './host-request.js'
import { nameOfCookie } from './merge-cookies.js'

/**
 * As {@link Host.finish}, for frameworks that give handlers a copy of the request. A handler that signs
 * in or out by a copy sets cookies that are newer than a cookie renewed for the request, which must
 * not take their place.
 */
export function finishNewest(
  host: Pick<Host, 'cookies' | 'finish'>,
  request: HostRequest,
  response: Response,
  isPersonal: boolean,
): Response {
  if (request.takesNoCookies) return isPersonal ? finishResponse(response, [], false) : response
  const lines = host.cookies(request)
  const newer = lines.length === 0 ? [] : response.headers.getSetCookie()
  const cookies = new Set(newer.map(cookieOf))
  const rest = lines.filter((line) => newer.includes(line) || !cookies.has(cookieOf(line)))
  if (rest.length === lines.length) return host.finish(request, response, isPersonal)
  return finishResponse(response, rest, false)
}

/** The name of a cookie without the number of its chunk. */
function cookieOf(line: string): string {
  return nameOfCookie(line).replace(/\.\d+$/, '')
}
