import { cookieName } from '@latchkey/session/issue'
import { COOKIE_NAMES, type ResolvedConfig } from '../config/resolve-config.js'
import { InvalidConfiguration } from '../errors.js'
import type { RawCookie } from '../types/raw-response.js'

/** What belongs to one request. Every handler is given it; nothing outlives it. */
export class AuthRequest {
  readonly config: ResolvedConfig
  /** The request as it came. */
  readonly original: Request
  readonly method: string
  /** Public origin of the service, such as `https://example.com`. */
  readonly origin: string
  /** Public origin and base path: the session token's issuer. */
  readonly issuer: string
  /** The part of the path below the base path; `//` for a path that is not below it. */
  readonly path: string
  /** Is the public origin https? Decides cookie names, `Secure` and HSTS. */
  readonly secure: boolean
  /** What the browser sent as `Cookie`. */
  readonly cookieHeader: string | null
  /** Set by whatever response the request ends with, also by an error's. */
  readonly setCookies: RawCookie[] = []
  readonly waitUntil: (work: Promise<unknown>) => void
  #query: URLSearchParams | undefined

  /** @param origin the public origin, by the configuration's rules */
  constructor(
    original: Request,
    config: ResolvedConfig,
    origin: string,
    waitUntil: AuthRequest['waitUntil'],
  ) {
    this.config = config
    this.original = original
    this.method = original.method
    this.origin = origin
    this.issuer = origin + config.basePath
    this.path = pathBelow(config.basePath, original.url)
    this.secure = origin.startsWith('https:')
    this.cookieHeader = original.headers.get('cookie')
    this.waitUntil = waitUntil
  }

  /** Parameters of the request's URL. */
  get query(): URLSearchParams {
    const { url } = this.original
    this.#query ??= url.includes('?') ? new URL(url).searchParams : new URLSearchParams()
    return this.#query
  }

  /** Does the caller want JSON in the place of a redirect? */
  get wantsJson(): boolean {
    return this.original.headers.get('x-auth-return-redirect') === '1'
  }
}

/** Host names begin after this; `https://` and `http://` with a letter of the host are as long. */
const SCHEME_LENGTH = 8

/**
 * Matched as raw text. The router would decode a parameter, and overlook a slash at the end.
 *
 * @param url in the one spelling that a `Request` gives to an address
 */
function pathBelow(base: string, url: string): string {
  const start = url.indexOf('/', SCHEME_LENGTH)
  const end = url.slice(start).search(/[?#]/)
  const pathname = end < 0 ? url.slice(start) : url.slice(start, start + end)
  const isBelow = start > 0 && pathname.startsWith(`${base}/`) && !/%|\/$/.test(pathname)
  return isBelow ? pathname.slice(base.length) : '//'
}

/** Seconds since the epoch, by the configured clock. */
export function nowInSeconds({ config }: AuthRequest): number {
  return Math.floor(config.now() / 1000)
}

/** The full name of one of our cookies for this request. */
export function ownCookieName(request: AuthRequest, kind: keyof typeof COOKIE_NAMES): string {
  const { names, domain } = request.config.cookies
  return (
    names[kind] ??
    cookieName(COOKIE_NAMES[kind], {
      secure: request.secure,
      domain: kind === 'sessionToken' ? domain : undefined,
    })
  )
}

/**
 * A browser would drop it without a word (RFC 6265bis, 4.1.3).
 *
 * @throws {InvalidConfiguration} when the name's prefix promises https, and this is none
 */
export function checkCookieName({ secure }: AuthRequest, name: string): void {
  if (secure || !/^__(?:host|secure)-/i.test(name)) return
  throw new InvalidConfiguration(`The cookie "${name}" can be set on https only.`)
}

/** Browsers keep no cookie longer than 400 days (RFC 6265bis, 5.5); a session may live longer. Seconds. */
const MAX_COOKIE_AGE = 400 * 24 * 60 * 60

/**
 * Sets a cookie, with the attributes that all our cookies share (RFC 6265bis). Names and domains
 * were checked with the configuration.
 *
 * @param maxAge seconds; 0 removes the cookie; left out, it lives as long as the browser is open
 * @param domain shares the cookie with subdomains; only the session cookie may have one
 * @throws {InvalidConfiguration} when the name's prefix promises https, and this is none
 */
export function addCookie(
  request: AuthRequest,
  name: string,
  value: string,
  { maxAge, domain }: { maxAge?: number; domain?: string | undefined } = {},
): void {
  checkCookieName(request, name)
  request.setCookies.push({
    name,
    value,
    options: {
      path: '/',
      httpOnly: true,
      secure: request.secure,
      sameSite: 'lax',
      ...(maxAge === undefined ? {} : { maxAge: Math.min(Math.max(0, maxAge), MAX_COOKIE_AGE) }),
      ...(domain === undefined ? {} : { domain }),
    },
  })
}
