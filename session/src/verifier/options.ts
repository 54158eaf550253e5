import { cookieName, isCookieName, SESSION_COOKIE } from '../token/cookie.js'
import { MIN_DELAY } from './feed-reader.js'
import type { WorkerAddress } from './worker-client.js'

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

export interface RevocationOptions {
  /** Seconds, 10 to 3600. Default 15. */
  readonly maxDelay?: number | undefined
}

const HOUR = 60 * 60

/** The service, where there is one, and as which issuer it answers. @throws {TypeError} */
export function serviceOf({ worker, issuer }: VerifierOptions): {
  readonly worker: WorkerAddress | undefined
  readonly issuer: string | undefined
} {
  const address = typeof worker === 'string' ? baseUrl('worker', worker) : worker
  const own = issuer === undefined ? undefined : baseUrl('issuer', issuer)
  if (address !== undefined && typeof address !== 'string' && own === undefined) {
    throw new TypeError('A verifier whose worker is a service binding needs the issuer.')
  }
  return { worker: address, issuer: own ?? (typeof address === 'string' ? address : undefined) }
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
  const known = new Map<string, string>()
  return (issuer) => {
    const found = known.get(issuer)
    if (found !== undefined) return found
    const made = name ?? cookieName(SESSION_COOKIE, { secure: issuer.startsWith('https:'), domain })
    // Hosts of an attacker's own making must not fill the memory.
    if (known.size >= 100) known.clear()
    known.set(issuer, made)
    return made
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
