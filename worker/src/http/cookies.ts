import { cookieName } from '@latchkey/session/issue'
import { COOKIE_NAMES } from '../config/cookies.js'
import { InvalidConfiguration } from '../errors.js'
import type { AuthRequest } from './request.js'

/** The most left-over cookies of one kind that an answer removes; the next answers remove the rest. */
export const MAX_REMOVED = 8

/**
 * The full name of one of our cookies for this request. The session cookie's may be the app's own to
 * the letter, since apps in other languages read it; what this service alone reads is `__Host-` on
 * https under every name, so that no other host can set it.
 */
export function ownCookieName(request: AuthRequest, kind: keyof typeof COOKIE_NAMES): string {
  const { secure, config } = request
  const { names, domain } = config.cookies
  const name = names[kind]
  if (kind === 'sessionToken') return name ?? cookieName(COOKIE_NAMES[kind], { secure, domain })
  const base = name ?? COOKIE_NAMES[kind]
  return base.startsWith('__Host-') ? base : cookieName(base, { secure })
}

/**
 * A browser would drop it without a word (RFC 6265bis, 4.1.3).
 *
 * @throws {InvalidConfiguration} when the name's prefix promises https, and this request is not
 * https
 */
export function checkCookieName({ secure }: AuthRequest, name: string): void {
  if (secure || !/^__(?:host|secure)-/i.test(name)) return
  throw new InvalidConfiguration(`The cookie "${name}" can be set on https only.`)
}

/** Browsers keep no cookie longer than 400 days (RFC 6265bis, 5.5); a session may live longer. Seconds. */
const MAX_COOKIE_AGE = 400 * 24 * 60 * 60

const LAX = { sameSite: 'lax' } as const
/** For each site that embeds the app there is another cookie (CHIPS): a site sees none that was set elsewhere. */
const EMBEDDED = { sameSite: 'none', partitioned: true } as const

/**
 * Sets a cookie, with the attributes that all our cookies share (RFC 6265bis). Names and domains
 * were checked with the configuration. One that this answer sets already is replaced: a browser should
 * not be sent two of one name (RFC 6265, 4.1.1).
 *
 * @param maxAge seconds; 0 removes the cookie; left out, it lives as long as the browser is open
 * @param domain shares the cookie with subdomains; only the session cookie may have one
 * @throws {InvalidConfiguration} when the name's prefix promises https, and this request is not
 * https
 */
export function addCookie(
  request: AuthRequest,
  name: string,
  value: string,
  { maxAge, domain }: { maxAge?: number; domain?: string | undefined } = {},
): void {
  checkCookieName(request, name)
  const { setCookies, secure, config } = request
  const before = setCookies.findIndex((cookie) => cookie.name === name)
  if (before >= 0) setCookies.splice(before, 1)
  setCookies.push({
    name,
    value,
    options: {
      path: '/',
      httpOnly: true,
      secure,
      // Browsers take `None` on https alone.
      ...(config.cookies.isEmbedded && secure ? EMBEDDED : LAX),
      ...(maxAge === undefined ? {} : { maxAge: Math.min(Math.max(0, maxAge), MAX_COOKIE_AGE) }),
      ...(domain === undefined ? {} : { domain }),
    },
  })
}
