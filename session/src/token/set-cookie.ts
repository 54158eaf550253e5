import { cookiePairs, ownCookieNames, splitCookie } from './cookie.js'

/**
 * The Cookie header that shows one session token to the service. The browser's other cookies of
 * that name are sent along without values, so that the service removes them when it sets a new
 * one.
 */
export function cookieOf(token: string, name: string, cookieHeader: string): string {
  const own = splitCookie(name, token)
  const written = new Set(own.map(([part]) => part))
  const stale = ownCookieNames(cookieHeader, name).filter((part) => !written.has(part))
  return [...own.map((pair) => pair.join('=')), ...stale.map((part) => `${part}=`)].join('; ')
}

/** The Set-Cookie lines of the session cookie, without other cookies. */
export function ownLines(setCookie: readonly string[], name: string): readonly string[] {
  return setCookie.filter((line) => ownCookieNames(pairOf(line), name).length > 0)
}

/** Does a line remove its cookie? */
export function isRemoval(line: string): boolean {
  const pair = pairOf(line)
  return pair.slice(pair.indexOf('=') + 1) === '' || /;\s*max-age=0\s*(?:;|$)/i.test(line)
}

/** The Cookie header that a browser would send after these lines. */
export function cookieAfter(setCookie: readonly string[]): string {
  return setCookie
    .filter((line) => !isRemoval(line))
    .map(pairOf)
    .join('; ')
}

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
