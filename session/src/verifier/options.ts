import { parseAddress } from '../lib/address.js'
import { BoundedCache } from '../lib/bounded-cache.js'
import { isRecord } from '../lib/is-record.js'
import { cookieName, isCookieName, SESSION_COOKIE } from '../token/cookie.js'
import { MIN_DELAY } from './feed-reader.js'
import type { Service, WorkerAddress } from './worker-client.js'

/** How sessions are verified. One of `secret`, `publicKeys` and `worker` gives the keys. */
export interface VerifierOptions {
  /** The secret of the service: its keys are derived from it. Default: none. */
  readonly secret?: string | readonly string[] | undefined
  /**
   * The public keys, a JWKS as an object or as JSON text: no secret, no network. Default: the keys
   * that `worker` publishes.
   */
  readonly publicKeys?: unknown
  /**
   * The service: it publishes the keys, its feed lists ended sessions, and it renews expired
   * tokens. Default: none.
   */
  readonly worker?: WorkerAddress | undefined
  /** Public origin and base path of the service. Default: the `worker` address. */
  readonly issuer?: string | undefined
  /** The session cookie, if its name is not the default. */
  readonly cookie?: CookieOptions | undefined
  /** How soon an ended session is refused here. Needs `worker`. */
  readonly revocation?: RevocationOptions | undefined
  /**
   * The time for which the verifier uses the last keys while it cannot reach the service, in
   * seconds. Default 86,400 (a day).
   */
  readonly maxKeyAge?: number | undefined
  /**
   * The least number of verified tokens of up to 1 KB in the cache; it never has more than twice as
   * many. Default 10,000, which is 50 MB at most.
   */
  readonly cacheSize?: number | undefined
  /** The function that makes requests. Default: the platform's. */
  readonly fetch?: typeof fetch | undefined
  /** The clock, in milliseconds since the epoch. Default: `Date.now`. */
  readonly now?: (() => number) | undefined
  /** Called with errors of background work. They never quote a token. Default: `console.error`. */
  readonly onError?: ((error: Error) => void) | undefined
}

interface CookieOptions {
  /**
   * Its whole name, with its prefix. Default `auth.session-token`, with `__Host-` or `__Secure-` on
   * https.
   */
  readonly name?: string | undefined
  /**
   * The domain with which the service shares the cookie; it changes the prefix of the name.
   * Default: none.
   */
  readonly domain?: string | undefined
}

interface RevocationOptions {
  /** The time after which an app knows it at the latest, in seconds: 10 to 3600. Default 15. */
  readonly maxDelay?: number | undefined
}

const HOUR = 60 * 60

/** The same message is not repeated within a minute. Milliseconds. */
const QUIET = 60_000
/** Messages that are remembered, at most. */
const MAX_MESSAGES = 50

/** The issuer of the sessions, and the service's address, if one is given. @throws {TypeError} */
export function serviceOf({ worker, issuer }: VerifierOptions): {
  readonly issuer: string | undefined
  readonly service: Service | undefined
} {
  const own = issuer === undefined ? undefined : baseUrl('issuer', issuer)
  if (worker === undefined) return { issuer: own, service: undefined }
  const isBinding = typeof (worker as { fetch?: unknown } | null)?.fetch === 'function'
  const address = isBinding ? worker : baseUrl('worker', worker as string)
  const answersAs = own ?? (typeof address === 'string' ? address : undefined)
  if (answersAs === undefined) {
    throw new TypeError('A verifier with a service binding as its worker needs the issuer.')
  }
  return { issuer: answersAs, service: { address, issuer: answersAs } }
}

/** Lifetimes in milliseconds and counts, checked. @throws {TypeError} */
export function limitsOf(options: VerifierOptions): {
  /** Seconds. */
  readonly maxDelay: number
  /** Milliseconds. */
  readonly maxAge: number
  readonly cacheSize: number
} {
  for (const name of ['fetch', 'now', 'onError'] as const) {
    if (options[name] === undefined || typeof options[name] === 'function') continue
    throw new TypeError(`${name} must be a function.`)
  }
  const { revocation, maxKeyAge, cacheSize } = options
  if (revocation !== undefined && !isRecord(revocation as unknown)) {
    throw new TypeError('revocation must be an object.')
  }
  const maxDelay = number('revocation.maxDelay', revocation?.maxDelay ?? 15, MIN_DELAY, HOUR)
  const maxAge = number('maxKeyAge', maxKeyAge ?? 24 * HOUR, 1, 365 * 24 * HOUR) * 1000
  return { maxDelay, maxAge, cacheSize: number('cacheSize', cacheSize ?? 10_000, 1, 10_000_000) }
}

/** The session cookie's name for an issuer. @throws {TypeError} */
export function cookieNamesOf({ cookie = {} }: VerifierOptions): (issuer: string) => string {
  const { name, domain } = cookie
  if (name !== undefined && !isCookieName(name)) {
    throw new TypeError('cookie.name is not the name of a cookie.')
  }
  const make = (issuer: string) =>
    name ?? cookieName(SESSION_COOKIE, { secure: issuer.startsWith('https:'), domain })
  const cache = new BoundedCache<string>(100)
  return (issuer) => cache.get(issuer) ?? cache.set(issuer, make(issuer))
}

/** Reports errors, each message once a minute, since a service that is down fails every fetch. */
export function throttled(
  tell: (error: Error) => void = (error) => console.error(`${error.name}: ${error.message}`),
  now: () => number,
): (error: unknown) => void {
  const times = new Map<string, number>()
  return (error) => {
    const fault = error instanceof Error ? error : new Error('Unexpected failure.')
    const time = now()
    if (Math.abs(time - (times.get(fault.message) ?? Number.NEGATIVE_INFINITY)) < QUIET) return
    if (times.size >= MAX_MESSAGES) times.clear()
    times.set(fault.message, time)
    try {
      tell(fault)
    } catch {
      // A log that fails must not fail a request.
    }
  }
}

function number(name: string, value: number, least: number, most: number): number {
  if (typeof value === 'number' && value >= least && value <= most) return value
  throw new TypeError(`${name} must be a number from ${least} to ${most}.`)
}

/**
 * A URL without slashes at its end; one with query, fragment or user is refused. The message does
 * not repeat it.
 */
function baseUrl(name: string, text: string): string {
  if (parseAddress(text)) return text.replace(/\/+$/, '')
  throw new TypeError(`"${name}" must be a URL such as https://example.com/auth.`)
}
