import type { SessionClaims } from './claims.js'
import { cookieName, ownCookieNames, SESSION_COOKIE, sessionTokens, splitCookie } from './cookie.js'
import { after, FeedReader } from './feed-reader.js'
import { fixedKeys, type KeySource, publishedKeys } from './key-source.js'
import type { VerifyKeys } from './keys.js'
import type { Session } from './session.js'
import { TokenVerifier, type Verification } from './verify.js'
import {
  fetchSession,
  type WorkerAddress,
  type WorkerRoute,
  type WorkerSession,
  WorkerUnavailable,
} from './worker-client.js'

/** How sessions are verified. One of `secret`, `publicKeys` and `worker` says by which keys. */
export interface VerifierOptions {
  /** The secret that the service has too: its keys are derived from it. */
  readonly secret?: string | readonly string[]
  /** The public keys, a JWKS as an object or as JSON text: no secret, no network. */
  readonly publicKeys?: unknown
  /**
   * The service: its keys are looked up where no others are given, ended sessions are heard of, and
   * tokens that have ended are renewed.
   */
  readonly worker?: WorkerAddress
  /** Public origin and base path of the service. Default: the `worker` address. */
  readonly issuer?: string
  /** The session cookie, where it is not named as by default. */
  readonly cookie?: { readonly name?: string | undefined; readonly domain?: string | undefined }
  /** How soon an ended session is refused here. Needs `worker`. */
  readonly revocation?: {
    /** Seconds. Default 15, at least 3. */
    readonly maxDelay?: number
  }
  /** For how long the last keys are used while the service cannot be reached. Seconds, default a day. */
  readonly maxKeyAge?: number
  /** How many verified tokens are remembered at least; never more than twice as many. Default 10,000. */
  readonly cacheSize?: number
  /** Default: the platform's. */
  readonly fetch?: typeof fetch
  /** Milliseconds since the epoch. */
  readonly now?: () => number
  /** Told of what went wrong beside a request. Never holds a token. */
  readonly onError?: (error: Error) => void
}

/** What a request's cookies say. */
export interface Reading {
  readonly session: Session | null
  /** The claims behind the session. */
  readonly claims: SessionClaims | null
  /** Set-Cookie lines to pass on to the browser: a renewed session, or the end of one. */
  readonly setCookie: readonly string[]
}

export interface ReadOptions {
  /** Another issuer than the verifier's own, for an app that answers under several names. */
  readonly issuer?: string
  /** Ask the service, whose ledger knows of every end at once. Needs `worker`. */
  readonly online?: boolean | undefined
  /** Where a request's work ends with its answer: a Worker's `ctx.waitUntil`. */
  readonly waitUntil?: ((work: Promise<unknown>) => void) | undefined
}

/** Reads sessions. Make one and keep it. */
export interface Verifier {
  /**
   * Who is signed in, by the Cookie header of a request. Answers without waiting where the token was
   * seen before.
   *
   * @throws {WorkerUnavailable} rejects when a token must be renewed, or the keys be looked up, and
   *   the service does not answer: whether anybody is signed in is not known then
   */
  read(cookieHeader: string | null | undefined, options?: ReadOptions): Reading | Promise<Reading>
  /** Stops looking for ended sessions. */
  close(): void
}

const NOBODY: Reading = Object.freeze({ session: null, claims: null, setCookie: Object.freeze([]) })
const NO_COOKIES: readonly string[] = Object.freeze([])

/** How long another request's renewal is waited for. Milliseconds. */
const PATIENCE = 2_000

/**
 * A verifier of sessions: locally, with public keys, and still told within seconds of sessions that
 * have ended.
 *
 * @example
 * const verifier = createVerifier({ worker: 'https://example.com/auth' })
 * const { session } = await verifier.read(request.headers.get('cookie'))
 * @throws {TypeError} when the options leave open how, or whose sessions, to verify
 */
export function createVerifier(options: VerifierOptions): Verifier {
  return new SessionReader(options)
}

class SessionReader implements Verifier {
  readonly #options: VerifierOptions
  readonly #now: () => number
  readonly #keys: KeySource
  readonly #issuer: string | undefined
  readonly #feed: FeedReader | undefined
  readonly #names = new Map<string, string>()
  readonly #renewals = new Map<string, Promise<Reading>>()
  #tokens: { readonly keys: VerifyKeys; readonly verifier: TokenVerifier } | undefined

  constructor(options: VerifierOptions) {
    const { worker, secret, publicKeys, now = Date.now } = options
    this.#options = options
    this.#now = now
    this.#issuer = options.issuer ?? (typeof worker === 'string' ? withoutSlash(worker) : undefined)
    const hasKeys = secret !== undefined || publicKeys !== undefined
    if (!hasKeys && worker === undefined) {
      throw new TypeError('A verifier needs a secret, publicKeys or a worker.')
    }
    if (worker !== undefined && this.#issuer === undefined) {
      throw new TypeError('A verifier whose worker is a service binding needs the issuer.')
    }
    const maxAge = (options.maxKeyAge ?? 24 * 60 * 60) * 1000
    this.#keys = hasKeys ? fixedKeys(options) : publishedKeys(() => this.#route(), { maxAge, now })
    if (worker !== undefined) {
      this.#feed = new FeedReader({
        route: this.#route(),
        keys: this.#keys,
        maxDelay: options.revocation?.maxDelay ?? 15,
        now,
        onError: (error) => this.#report(error),
      })
    }
  }

  read(
    cookieHeader: string | null | undefined,
    { issuer = this.#issuer, online = false, waitUntil }: ReadOptions = {},
  ): Reading | Promise<Reading> {
    if (issuer === undefined) throw new TypeError('The verifier does not know its issuer.')
    const name = this.#nameFor(issuer)
    // Most requests carry one cookie of the name, and its token was seen before.
    if (!cookieHeader?.includes(name)) return NOBODY
    const tokens = sessionTokens(cookieHeader, name)
    const [token] = tokens
    if (token === undefined) return NOBODY
    if (!online && tokens.length === 1 && this.#isUpToDate()) {
      const known = this.#tokens?.verifier.recall(token, issuer)
      if (known?.state === 'live' && !this.#feed?.list.has(known.claims)) return readingOf(known)
    }
    return this.#readSlowly(cookieHeader, tokens, issuer, { online, waitUntil })
  }

  close(): void {
    this.#feed?.close()
  }

  async #readSlowly(
    cookieHeader: string,
    tokens: readonly string[],
    issuer: string,
    { online = false, waitUntil }: ReadOptions,
  ): Promise<Reading> {
    if (online) return this.#ask(issuer, cookieHeader, tokens, true)
    let verifier = await this.#verifier(waitUntil)
    await this.#feed?.catchUp(waitUntil)
    let expired: SessionClaims | undefined
    for (const token of tokens) {
      let found = await verifier.verify(token, issuer)
      if (found.state === 'refused' && found.reason === 'unknown-key') {
        const keys = await this.#keys.lookFor()
        if (!keys) continue
        verifier = this.#use(keys)
        found = await verifier.verify(token, issuer)
      }
      if (found.state === 'refused' || this.#feed?.list.has(found.claims)) continue
      if (found.state === 'live') return readingOf(found)
      expired ??= found.claims
    }
    if (!expired || this.#options.worker === undefined) return NOBODY
    return this.#renew(expired, issuer, cookieHeader, tokens)
  }

  /** May a token that was seen before be answered for without any look elsewhere? */
  #isUpToDate(): boolean {
    const now = this.#now()
    if (this.#feed && !this.#feed.isCurrent(now)) return false
    return this.#keys.usable(now) !== undefined && !this.#keys.isDue(now)
  }

  async #verifier(waitUntil?: ReadOptions['waitUntil']): Promise<TokenVerifier> {
    const now = this.#now()
    const usable = this.#keys.usable(now)
    if (!usable) return this.#use(await this.#keys.load())
    if (this.#keys.isDue(now)) {
      // Beside the requests: the keys that are known are good for longer.
      const look = this.#keys.load().then(
        (keys) => void this.#use(keys),
        (error) => this.#report(error),
      )
      waitUntil?.(look)
    }
    return this.#use(usable)
  }

  /** The verifier for these keys. What was verified with a key that is gone is forgotten. */
  #use(keys: VerifyKeys): TokenVerifier {
    const known = this.#tokens
    const isSame = known && (known.keys === keys || sameIds(known.keys, keys))
    if (isSame) return known.verifier
    const { cacheSize = 10_000 } = this.#options
    const verifier = new TokenVerifier({ keys, now: this.#now, cacheSize })
    this.#tokens = { keys, verifier }
    return verifier
  }

  /** One call for each session, however many requests of it come at the same time. */
  async #renew(
    { sid }: SessionClaims,
    issuer: string,
    cookieHeader: string,
    tokens: readonly string[],
  ): Promise<Reading> {
    const underWay = this.#renewals.get(sid)
    // A request that is broken off may leave a call behind that never ends, so that patience has one.
    const shared = underWay && (await Promise.race([underWay, after(PATIENCE)]))
    if (shared) return shared
    const renewal = this.#ask(issuer, cookieHeader, tokens, false)
    this.#renewals.set(sid, renewal)
    try {
      return await renewal
    } finally {
      this.#renewals.delete(sid)
    }
  }

  /** What the service says. Its fresh token is verified like any other. */
  async #ask(
    issuer: string,
    cookieHeader: string,
    tokens: readonly string[],
    online: boolean,
  ): Promise<Reading> {
    if (this.#options.worker === undefined) {
      throw new TypeError('To read a session online the verifier needs a worker.')
    }
    const name = this.#nameFor(issuer)
    const cookie = tokens
      .flatMap((token) => splitCookie(name, token))
      .map(pair)
      .join('; ')
    const answer = await fetchSession({ ...this.#route(), issuer }, cookie, online)
    const setCookie = ownCookies(answer, name, cookieHeader)
    if (!answer.isSignedIn) return { ...NOBODY, setCookie }
    const verifier = await this.#verifier()
    const renewed = sessionTokens(setCookie.map(pairOf).join('; '), name)
    for (const token of [...renewed, ...tokens]) {
      const found = await verifier.verify(token, issuer)
      if (found.state === 'live') return { ...readingOf(found), setCookie }
    }
    throw new WorkerUnavailable('The auth service sent no token that verifies.')
  }

  #route(): WorkerRoute {
    const { worker = '', fetch = globalThis.fetch } = this.#options
    const address = typeof worker === 'string' ? withoutSlash(worker) : worker
    return { worker: address, issuer: this.#issuer ?? '', fetch }
  }

  #nameFor(issuer: string): string {
    const known = this.#names.get(issuer)
    if (known !== undefined) return known
    const { name, domain } = this.#options.cookie ?? {}
    const secure = issuer.startsWith('https:')
    const found = name ?? cookieName(SESSION_COOKIE, { secure, domain })
    // A host of an attacker's own making must not fill the memory.
    if (this.#names.size >= 100) this.#names.clear()
    this.#names.set(issuer, found)
    return found
  }

  #report(error: Error): void {
    this.#options.onError?.(error)
  }
}

function readingOf({ session, claims }: Exclude<Verification, { state: 'refused' }>): Reading {
  return { session, claims, setCookie: NO_COOKIES }
}

/** The lines that concern the session cookie, and no other cookie of the app's. */
function ownCookies(
  { setCookie }: WorkerSession,
  name: string,
  cookieHeader: string,
): readonly string[] {
  const names = new Set([name, ...ownCookieNames(cookieHeader, name)])
  return setCookie.filter((line) => {
    const found = line.slice(0, line.indexOf('='))
    return names.has(found) || ownCookieNames(`${found}=x`, name).length > 0
  })
}

function pairOf(line: string): string {
  return line.split(';', 1)[0] ?? ''
}

function pair([name, value]: readonly [string, string]): string {
  return `${name}=${value}`
}

function sameIds(one: VerifyKeys, other: VerifyKeys): boolean {
  return one.size === other.size && [...one.keys()].every((kid) => other.has(kid))
}

function withoutSlash(address: string): string {
  return address.replace(/\/+$/, '')
}
