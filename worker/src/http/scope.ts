import { cookieName } from '@latchkey/session/issue'
import type { Context } from 'hono'
import { COOKIE_NAMES, type ResolvedConfig } from '../config/resolve-config.js'
import type { SafeRedirect } from '../config/safe-redirect.js'
import { InvalidConfiguration } from '../errors.js'

/** What belongs to one request. Handed to the routes as Hono's bindings; nothing outlives it. */
export interface RequestScope {
  readonly config: ResolvedConfig
  readonly request: Request
  /** Public origin of the service, such as `https://example.com`. */
  readonly origin: string
  /** Public origin and base path: the session token's issuer. */
  readonly issuer: string
  /** The part of the path below the base path; `//` for a path that is not below it. */
  readonly path: string
  /** Parameters of the request's URL. */
  readonly query: URLSearchParams
  /** What the browser sent as `Cookie`. */
  readonly cookieHeader: string | null
  /** Is the public origin https? Decides cookie names, `Secure` and HSTS. */
  readonly secure: boolean
  /** Set-Cookie lines, appended to whatever response the request ends with, also an error's. */
  readonly setCookies: string[]
  readonly waitUntil: (work: Promise<unknown>) => void
}

/** Hono's types for our routes. */
export interface AuthTypes {
  Bindings: RequestScope
  Variables: {
    /** Where this sign-in leads, so that it is not forgotten when it has to be tried again. */
    callbackUrl?: SafeRedirect
  }
}

export type AuthContext = Context<AuthTypes>

/** Seconds since the epoch, by the configured clock. */
export function nowInSeconds({ config }: RequestScope): number {
  return Math.floor(config.now() / 1000)
}

/** The full name of one of our cookies for this request. */
export function ownCookieName(scope: RequestScope, kind: keyof typeof COOKIE_NAMES): string {
  const { names, domain } = scope.config.cookies
  return (
    names[kind] ??
    cookieName(COOKIE_NAMES[kind], {
      secure: scope.secure,
      domain: kind === 'sessionToken' ? domain : undefined,
    })
  )
}

/**
 * A browser would drop it without a word (RFC 6265bis, 4.1.3).
 *
 * @throws {InvalidConfiguration} when the name's prefix promises https, and this is none
 */
export function checkCookieName({ secure }: RequestScope, name: string): void {
  if (secure || !/^__(?:host|secure)-/i.test(name)) return
  throw new InvalidConfiguration(`The cookie "${name}" can be set on https only.`)
}

/** Browsers keep no cookie longer than 400 days (RFC 6265bis, 5.5); a session may live longer. Seconds. */
const MAX_COOKIE_AGE = 400 * 24 * 60 * 60

/**
 * Adds a Set-Cookie line with the attributes that all our cookies share (RFC 6265bis). Names and
 * domains were checked with the configuration.
 *
 * @param maxAge seconds; 0 removes the cookie; left out, it lives as long as the browser is open
 * @param domain shares the cookie with subdomains; only the session cookie may have one
 * @throws {InvalidConfiguration} when the name's prefix promises https, and this is none
 */
export function addCookie(
  scope: RequestScope,
  name: string,
  value: string,
  { maxAge, domain }: { maxAge?: number; domain?: string | undefined } = {},
): void {
  checkCookieName(scope, name)
  const attributes = [
    maxAge === undefined ? [] : `Max-Age=${Math.min(Math.max(0, maxAge), MAX_COOKIE_AGE)}`,
    domain === undefined ? [] : `Domain=${domain}`,
    'Path=/; HttpOnly',
    scope.secure ? 'Secure' : [],
    'SameSite=Lax',
  ].flat()
  scope.setCookies.push([`${name}=${encodeURIComponent(value)}`, ...attributes].join('; '))
}
