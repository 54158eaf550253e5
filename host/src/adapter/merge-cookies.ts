import { cookiePairs, isRemoval } from '@latchkey/session/internal'

/** Lines in their order, the last one for each cookie: a browser should not be sent two (RFC 6265, 4.1.1). */
export function lastOfEach(lines: readonly string[]): string[] {
  return [...new Map(lines.map((line) => [nameOfCookie(line), line])).values()]
}

/**
 * Set-Cookie lines with those that are added to them, which take the place of all for the same names. The
 * others stay as they are: an app may set one cookie for several paths.
 */
export function replaceCookies(present: readonly string[], added: readonly string[]): string[] {
  const names = new Set(added.map(nameOfCookie))
  return [...present.filter((line) => !names.has(nameOfCookie(line))), ...added]
}

/**
 * The Cookie header that a browser would send after these Set-Cookie lines. The header is taken apart once,
 * however many names are in it.
 */
export function mergeCookies(header: string | null, lines: readonly string[]): string {
  const set = new Map(lines.map((line) => [nameOfCookie(line), line]))
  const pairs = cookiePairs(header ?? '').flatMap(([name, value]) =>
    set.has(name) ? [] : `${name}=${value}`,
  )
  const added = [...set.values()].filter((line) => !isRemoval(line))
  return [...pairs, ...added.map(pairOf)].join('; ')
}

/** The name of the cookie that a line sets. */
export function nameOfCookie(line: string): string {
  return line.slice(0, line.indexOf('=')).trim()
}

function pairOf(line: string): string {
  return line.split(';', 1)[0] ?? ''
}
