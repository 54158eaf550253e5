import { isRemoval } from '../internal/set-cookie.js'
import { cookieNames, cookieValues } from '../token/cookie.js'

/** Lines in their order, the last one for each cookie: a browser should not be sent two (RFC 6265, 4.1.1). */
export function lastOfEach(lines: readonly string[]): string[] {
  return [...new Map(lines.map((line) => [nameOfCookie(line), line])).values()]
}

/** The Cookie header that a browser would send after these Set-Cookie lines. */
export function mergeCookies(header: string | null, lines: readonly string[]): string {
  const set = new Map(lines.map((line) => [nameOfCookie(line), line]))
  const kept = cookieNames(header)
    .filter((name) => !set.has(name))
    .flatMap((name) => cookieValues(header, name).map((value) => `${name}=${value}`))
  const added = [...set.values()].filter((line) => !isRemoval(line))
  return [...kept, ...added.map((line) => line.split(';', 1)[0] ?? '')].join('; ')
}

/** The name of the cookie that a Set-Cookie line sets. */
function nameOfCookie(line: string): string {
  return line.slice(0, line.indexOf('=')).trim()
}
