import { afterEach, beforeEach, vi } from 'vitest'
import type { SessionClaims } from '../token/claims.js'
import { ownCookieNames, sessionTokens, splitCookie } from '../token/cookie.js'
import { exportJwks, type SessionKeys } from '../token/keys.js'
import { toSession } from '../token/session.js'
import { signSessionToken } from '../token/signed.js'
import { createVerifier, type ReadOptions, type Verifier } from '../verifier/create-verifier.js'
import type { VerifierOptions } from '../verifier/options.js'
import {
  type EndedSession,
  type RevocationFeed,
  RevocationList,
  signRevocationFeed,
} from '../verifier/revocations.js'
import { SessionTokenVerifier } from '../verifier/session-token-verifier.js'
import { WorkerUnavailable } from '../verifier/worker-client.js'
import { claims, ISSUER, keys, NOW } from './keys.js'

export const NAME = '__Host-auth.session-token'

type Answer = (url: URL, init: RequestInit) => Response | Promise<Response>

/** A stand-in for the service: it works like the real one until a test replaces a route. */
export class FakeWorker {
  /** Seconds. */
  readonly clock = { now: NOW }
  readonly requests: { readonly path: string; readonly headers: Headers }[] = []
  /** Answers by a route's name without its slash. */
  readonly replaced = new Map<string, Answer>()
  readonly errors: Error[] = []
  keys: SessionKeys = keys
  /** The public keys of access tokens. */
  accessJwks: object = { keys: [] }
  /** How long a token counts, as the feed says. Seconds. */
  window = 300
  readonly ended: RevocationList
  readonly #revocations: EndedSession[] = []
  readonly #verifiers: Verifier[] = []
  readonly #advance: (milliseconds: number) => void

  /** @param advance moves the timers on, if they are fake */
  constructor(advance: (milliseconds: number) => void = () => {}) {
    this.#advance = advance
    this.ended = new RevocationList(() => this.clock.now * 1000)
  }

  /** A verifier that has only this service's address and clock. */
  verifier(options: VerifierOptions = {}): Verifier {
    const verifier = createVerifier({
      worker: ISSUER,
      fetch: (url, init) => this.fetch(String(url), init),
      now: () => this.clock.now * 1000,
      onError: (error) => void this.errors.push(error),
      ...options,
    })
    this.#verifiers.push(verifier)
    return verifier
  }

  readonly fetch = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const { pathname, search } = new URL(url)
    const path = pathname.replace(/^\/auth\//, '')
    this.requests.push({ path: path + search, headers: new Headers(init.headers) })
    const answer = this.replaced.get(path) ?? this.#routes[path]
    return answer ? answer(new URL(url), init) : new Response('Not found', { status: 404 })
  }

  /** The number of requests to a route. */
  count(path: string): number {
    return this.requests.filter((request) => request.path.split('?', 1)[0] === path).length
  }

  /** A Cookie header with a token of its own; `exp` is relative to now. */
  async cookie(changes: Partial<SessionClaims> = {}): Promise<string> {
    return `${NAME}=${await this.token(changes)}`
  }

  async token(changes: Partial<SessionClaims> = {}): Promise<string> {
    const { now } = this.clock
    const times = { iat: now - 1, exp: now + 300, auth_time: now - 1, sexp: now + 86_400 }
    return signSessionToken({ ...claims, ...times, ...changes }, this.keys.signing)
  }

  /** The token of {@link cookie} after its own end. */
  async expiredCookie(changes: Partial<SessionClaims> = {}): Promise<string> {
    const { now } = this.clock
    return this.cookie({ iat: now - 400, exp: now - 100, auth_time: now - 400, ...changes })
  }

  signOut(sid: string): void {
    const ending = { sid, at: this.clock.now }
    this.#revocations.push(ending)
    this.ended.add({ sessions: [ending], users: [] }, this.window)
  }

  /** Moves timers and clock on, a second at a time. */
  async pass(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second++) {
      this.clock.now++
      this.#advance(1_000)
      await settle()
    }
  }

  feed(changes: Partial<RevocationFeed> = {}, since = 0): Promise<string> {
    const sids = this.#revocations.flatMap(({ sid, at }) => (at >= since ? sid : []))
    const feed = { sids, users: [], next: this.clock.now, window: this.window, since }
    return signRevocationFeed({ iss: ISSUER, ...feed, ...changes }, this.keys.signing)
  }

  close(): void {
    for (const verifier of this.#verifiers) verifier.close()
  }

  readonly #routes: Readonly<Record<string, Answer>> = {
    'jwks.json': () => Response.json(exportJwks(this.keys.verify)),
    'oauth/jwks.json': () => Response.json(this.accessJwks),
    revocations: async (url) =>
      new Response(await this.feed({}, Number(url.searchParams.get('since') ?? 0))),
    session: async (_, init) => {
      const cookie = new Headers(init.headers).get('cookie')
      const verifier = new SessionTokenVerifier({
        keys: this.keys.verify,
        now: () => this.clock.now * 1000,
      })
      const [token = ''] = sessionTokens(cookie, NAME)
      const reading = await verifier.verify(token, ISSUER)
      if (typeof reading === 'string') return Response.json(null)
      if (this.ended.has(reading.claims)) return sessionAnswer(null, ownCookieNames(cookie, NAME))
      const { now } = this.clock
      const { iat, exp } = reading.claims
      if (exp - now >= (exp - iat) * 0.2) return Response.json(reading.session)
      const renewed = { ...reading.claims, iat: now, exp: now + 300 }
      const lines = splitCookie(NAME, await signSessionToken(renewed, this.keys.signing))
      return sessionAnswer(toSession(renewed), lines)
    },
  }
}

/** The result of a read. `over` means: no session, and a cookie to remove. */
export async function fate(
  verifier: Verifier,
  cookie: string,
  options?: ReadOptions,
): Promise<string> {
  try {
    const { session, setCookie } = await verifier.read(cookie, options)
    return session ? 'live' : setCookie.length > 0 ? 'over' : 'nobody'
  } catch (error) {
    return error instanceof WorkerUnavailable ? '503' : String(error)
  }
}

/** The result for a request that does not wait. */
export function atOnce(verifier: Verifier, cookie: string): string {
  const reading = verifier.read(cookie)
  return reading instanceof Promise ? 'it waits' : reading.session ? 'live' : 'nobody'
}

/** @param cookies the cookies that are set, and the names of the removed ones */
export function sessionAnswer(
  session: object | null,
  cookies: readonly (string | readonly [string, string])[] = [],
): Response {
  const answer = Response.json(session)
  for (const cookie of cookies) {
    const [name, value] = typeof cookie === 'string' ? [cookie, ''] : cookie
    const age = value === '' ? 0 : 86_400
    answer.headers.append(
      'set-cookie',
      `${name}=${value}; Max-Age=${age}; Path=/; HttpOnly; Secure; SameSite=Lax`,
    )
  }
  return answer
}

/** Calls of the platform's cryptography that have not ended, which fake timers do not see. */
let underWay = 0
for (const name of ['digest', 'importKey', 'sign', 'verify', 'deriveBits', 'exportKey']) {
  const subtle = crypto.subtle as unknown as Record<
    string,
    (...args: unknown[]) => Promise<unknown>
  >
  const original = subtle[name]?.bind(crypto.subtle)
  subtle[name] = async (...args) => {
    underWay++
    try {
      return await original?.(...args)
    } finally {
      underWay--
    }
  }
}

/** Waits until pending work has ended, except timers. */
export async function settle(): Promise<void> {
  for (let quiet = 0; quiet < 10; quiet++) {
    await new Promise((resolve) => setImmediate(resolve))
    if (underWay > 0) quiet = 0
  }
}

/** An answer that never comes, and ignores even a signal. */
export const silence = (): Promise<Response> => new Promise(() => {})

/** The service of the current test; see {@link useWorker}. */
export let worker: FakeWorker

/** Gives each test of a file a {@link worker} of its own. The timers move with its clock. */
export function useWorker(): void {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
    worker = new FakeWorker((milliseconds) => vi.advanceTimersByTime(milliseconds))
  })
  afterEach(() => {
    worker.close()
    vi.useRealTimers()
  })
}
