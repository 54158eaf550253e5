import { ownCookieNames, splitCookie } from './cookie.js'

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

function pairOf(line: string): string {
  return line.split(';', 1)[0] ?? ''
}
