import { BoundedCache } from '../internal/bounded-cache.js'
import { cookieName, isCookieName, SESSION_COOKIE } from '../token/cookie.js'
import { MIN_DELAY } from './feed-reader.js'
import type { Service, WorkerAddress } from './worker-client.js'

/** How sessions are verified. One of `secret`, `publicKeys` and `worker` says by which keys. */
export interface VerifierOptions {
  /** The secret that the service has too: its keys are derived from it. */
  readonly secret?: string | readonly string[] | undefined
  /** The public keys, a JWKS as an object or as JSON text: no secret, no network. */
  readonly publicKeys?: unknown
  /**
   * The service: its keys are looked up where no others are given, ended sessions are heard of, and
   * tokens that have ended are renewed.
   */
  readonly worker?: WorkerAddress | undefined
  /** Public origin and base path of the service. Default: the `worker` address. */
  readonly issuer?: string | undefined
  /** The session cookie, where it is not named as by default. */
  readonly cookie?: CookieOptions | undefined
  /** How soon an ended session is refused here. Needs `worker`. */
  readonly revocation?: RevocationOptions | undefined
  /** For how long the last keys are used while the service cannot be reached. Seconds, default a day. */
  readonly maxKeyAge?: number | undefined
  /**
   * How many verified tokens of up to 1 KB are remembered at least; never more than twice as many.
   * Default 10,000, which is 50 MB at most.
   */
  readonly cacheSize?: number | undefined
  /** Default: the platform's. */
  readonly fetch?: typeof fetch | undefined
  /** Milliseconds since the epoch. */
  readonly now?: (() => number) | undefined
  /** Told of what went wrong beside a request. Never of a token. Default: `console.error`. */
  readonly onError?: ((error: Error) => void) | undefined
}

export interface CookieOptions {
  readonly name?: string | undefined
  /** The domain that the service shares the cookie with: it has another prefix then. */
  readonly domain?: string | undefined
}

interface RevocationOptions {
  /** Seconds, 10 to 3600. Default 15. */
  readonly maxDelay?: number | undefined
}

const HOUR = 60 * 60

/** The same message is not repeated within a minute. Milliseconds. */
const QUIET = 60_000
/** Messages that are remembered, at most. */
const MAX_MESSAGES = 50

/** Whose sessions are read, and where that service is reached, if it is. @throws {TypeError} */
export function serviceOf({ worker, issuer }: VerifierOptions): {
  readonly issuer: string | undefined
  readonly service: Service | undefined
} {
  const own = issuer === undefined ? undefined : baseUrl('issuer', issuer)
  if (worker === undefined) return { issuer: own, service: undefined }
  const address = typeof worker === 'string' ? baseUrl('worker', worker) : worker
  const answersAs = own ?? (typeof address === 'string' ? address : undefined)
  if (answersAs === undefined) {
    throw new TypeError('A verifier whose worker is a service binding needs the issuer.')
  }
  return { issuer: answersAs, service: { address, issuer: answersAs } }
}

/** Milliseconds and counts that are meant as they stand there. @throws {TypeError} */
export function limitsOf({ revocation, maxKeyAge, cacheSize }: VerifierOptions): {
  /** Seconds. */
  readonly maxDelay: number
  /** Milliseconds. */
  readonly maxAge: number
  readonly cacheSize: number
} {
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
  const known = new BoundedCache<string>(100)
  return (issuer) => known.get(issuer) ?? known.set(issuer, make(issuer))
}

/** Tells of errors, each kind once a minute: a service that is down is down for every look. */
export function throttled(
  tell: (error: Error) => void = (error) => console.error(`${error.name}: ${error.message}`),
  now: () => number,
): (error: unknown) => void {
  const told = new Map<string, number>()
  return (error) => {
    const fault = error instanceof Error ? error : new Error('Unexpected failure.')
    const time = now()
    if (Math.abs(time - (told.get(fault.message) ?? Number.NEGATIVE_INFINITY)) < QUIET) return
    if (told.size >= MAX_MESSAGES) told.clear()
    told.set(fault.message, time)
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

/** An address without what could not be followed by a path. The message does not repeat it. */
function baseUrl(name: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isHttp = url?.protocol === 'https:' || url?.protocol === 'http:'
  if (!url || !isHttp || url.search || url.hash || url.username || url.password) {
    throw new TypeError(`"${name}" must be a URL such as https://example.com/auth.`)
  }
  return text.replace(/\/+$/, '')
}
