import { isWorkerd, within } from '../lib/deadline.js'
import { isRecord } from '../lib/is-record.js'
import { readLimited } from '../lib/read-limited.js'

/** The auth service: its address with the base path, or a service binding of a Worker. */
export type WorkerAddress =
  | string
  | { fetch: (input: string, init?: RequestInit) => Promise<Response> }

const NAME = 'WorkerUnavailable'

/** The auth service gave no usable answer. This signs no user in or out. */
export class WorkerUnavailable extends Error {
  override name = NAME
  /** The HTTP status that an app answers with. */
  readonly status = 503

  /** A framework may bundle several copies of this module into one process, which share a verifier. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: a subclass has the ordinary meaning
    if (this === WorkerUnavailable) return value instanceof Error && value.name === NAME
    // biome-ignore lint/complexity/noThisInStatic: a subclass has the ordinary meaning
    return Function.prototype[Symbol.hasInstance].call(this, value)
  }

  /** The answer itself, for frameworks that ask an error for it. */
  getResponse(): Response {
    const headers = { 'retry-after': '5', 'cache-control': 'no-store' }
    const text = 'Sign-in is not available just now. Please try again in a moment.'
    return new Response(text, { status: this.status, headers })
  }
}

/** The service's answer about a session cookie. */
export interface WorkerSession {
  /** The session's own end, ISO 8601; `null` if the cookie does not sign in. */
  readonly expires: string | null
  /** Cookies that the service sets: a fresh token, or the end of the old one. */
  readonly setCookie: readonly string[]
}

/** The longest wait for an answer of the service. Milliseconds. */
export const TIMEOUT = 5_000
/**
 * The longest wait for the call of another request. In a Worker that request may have been aborted,
 * and its call then never ends.
 */
export const PATIENCE = isWorkerd ? 2_000 : TIMEOUT + 1_000

/** For this time after an unanswered call, requests fail without waiting. Milliseconds. */
const PAUSE = 5_000

/** Longer answers are refused. Bytes. */
const LIMITS = { keys: 64 * 1024, feed: 4 * 1024 * 1024, session: 256 * 1024 }

/** The auth service, as an app knows it. */
export interface Service {
  readonly address: WorkerAddress
  /** Public origin and base path. */
  readonly issuer: string
}

interface WorkerClientOptions extends Service {
  readonly fetch?: typeof fetch | undefined
  readonly now: () => number
}

interface Question {
  readonly path: string
  readonly issuer: string
  /** Bytes. */
  readonly limit: number
  readonly timeout?: number
  /** After an unanswered call of this kind, they are made at intervals only. */
  readonly isPaced?: boolean
  readonly cookie?: string
  /** A form to post. */
  readonly form?: URLSearchParams
  /** The statuses that are answers. Default 200. */
  readonly statuses?: readonly number[]
  readonly address?: WorkerAddress | undefined
}

interface Answer {
  readonly status: number
  readonly text: string
  readonly setCookie: readonly string[]
}

/** Asks the auth service. Every failure is a {@link WorkerUnavailable} that quotes nothing. */
export class WorkerClient {
  readonly #options: WorkerClientOptions
  #answeredAt = Number.NEGATIVE_INFINITY
  /** The time of the next attempt after an unanswered call. */
  #nextAttempt = Number.NEGATIVE_INFINITY

  constructor(options: WorkerClientOptions) {
    this.#options = options
  }

  /** As which the service is asked for its keys and its feed. */
  get issuer(): string {
    return this.#options.issuer
  }

  /**
   * The public keys (RFC 7517).
   *
   * @param path of sessions, or of access tokens
   * @throws {WorkerUnavailable}
   */
  async fetchKeys(path: '/jwks.json' | '/oauth/jwks.json' = '/jwks.json'): Promise<unknown> {
    const { issuer } = this.#options
    const { text } = await this.ask({ path, issuer, limit: LIMITS.keys })
    return parseJson(text, path)
  }

  /**
   * A page of the signed revocation feed. A service of version 0.1 answers with all of it.
   *
   * @param since seconds since the epoch
   * @param timeout milliseconds
   * @throws {WorkerUnavailable}
   */
  async fetchFeed(since: number | undefined, timeout: number): Promise<string> {
    const { issuer } = this.#options
    const path = `/revocations?${since === undefined ? '' : `since=${since}&`}pages=1`
    return (await this.ask({ path, issuer, limit: LIMITS.feed, timeout })).text
  }

  /**
   * The feed's entries about some sessions and people.
   *
   * @param of the first characters of their names
   * @param timeout milliseconds
   * @throws {WorkerUnavailable}
   */
  async fetchRevocationsOf(of: string, timeout: number): Promise<string> {
    const { issuer } = this.#options
    // A service of a version before answers with a page of the whole feed.
    const path = `/revocations?of=${of}&pages=1`
    return (await this.ask({ path, issuer, limit: LIMITS.feed, timeout })).text
  }

  /**
   * Sends a session cookie to the service, which renews it when that is due. Nothing else of the
   * request is sent. After an unanswered call, calls are made at intervals only.
   *
   * @param online ask the ledger also about a token that has not ended
   * @param address the service to ask, instead of the client's own
   * @throws {WorkerUnavailable}
   */
  async fetchSession(
    issuer: string,
    cookie: string,
    online: boolean,
    address?: WorkerAddress,
  ): Promise<WorkerSession> {
    const path = online ? '/session?online=1' : '/session'
    const question = { path, issuer, limit: LIMITS.session, isPaced: true, cookie, address }
    const { text, setCookie } = await this.ask(question)
    const session = parseJson(text, '/session')
    if (session === null) return { expires: null, setCookie }
    if (!isRecord(session) || typeof session.expires !== 'string') throw unusable('/session')
    return { expires: session.expires, setCookie }
  }

  #pauseAfterSilence(): void {
    const now = this.#options.now()
    if (this.#nextAttempt === Number.NEGATIVE_INFINITY) return
    const wait = this.#nextAttempt - now
    // Not when the clock was set back.
    if (wait > 0 && wait <= PAUSE + TIMEOUT) {
      throw new WorkerUnavailable('The auth service was silent a moment ago.')
    }
    this.#nextAttempt = now + PAUSE + TIMEOUT
  }

  /** @throws {WorkerUnavailable} */
  async ask(question: Question): Promise<Answer> {
    if (question.isPaced) this.#pauseAfterSilence()
    const { now } = this.#options
    const timeout = Math.min(question.timeout ?? TIMEOUT, TIMEOUT)
    const began = now()
    const breakOff = new AbortController()
    const work = this.#exchange(question, breakOff.signal)
    const answer = await within(timeout, work)
    if (answer) return answer
    breakOff.abort()
    // One session that cannot be read, or one route that hangs, must not stop the others.
    const isSilent = question.isPaced && this.#answeredAt <= began
    if (isSilent) this.#nextAttempt = now() + PAUSE
    throw new WorkerUnavailable(`The auth service did not answer within ${timeout / 1000} s.`)
  }

  async #exchange(question: Question, signal: AbortSignal): Promise<Answer> {
    const { path, limit, statuses = [200] } = question
    let text: string | undefined
    let answer: Response
    try {
      answer = await this.#send(question, signal)
      this.#answeredAt = this.#options.now()
      this.#nextAttempt = Number.NEGATIVE_INFINITY
      if (statuses.includes(answer.status)) {
        const bytes = await readLimited(answer.body, limit)
        text = bytes && new TextDecoder().decode(bytes)
      } else answer.body?.cancel().catch(() => {})
    } catch (error) {
      throw new WorkerUnavailable(`The auth service cannot be reached (${codeOf(error)}).`)
    }
    const { status } = answer
    if (!statuses.includes(status)) {
      const name = path.split('?', 1)[0]
      throw new WorkerUnavailable(`The auth service answered ${name} with status ${status}.`)
    }
    if (text === undefined) throw unusable(path)
    return { status, text, setCookie: answer.headers.getSetCookie() }
  }

  #send({ path, issuer, cookie, form, address }: Question, signal: AbortSignal): Promise<Response> {
    const { fetch = globalThis.fetch } = this.#options
    const service = address ?? this.#options.address
    const { protocol, host } = new URL(issuer)
    const init = {
      ...(form && { method: 'POST', body: form }),
      headers: {
        accept: 'application/json, application/jwt',
        // The origin that the service answers for, if it is not reached by its public URL.
        'x-forwarded-host': host,
        'x-forwarded-proto': protocol.slice(0, -1),
        ...(cookie === undefined ? {} : { cookie }),
      },
      // A redirect must not take the cookie or the form to another server.
      redirect: 'manual' as const,
      signal,
    }
    return typeof service === 'string'
      ? fetch(service + path, init)
      : service.fetch(issuer + path, init)
  }
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The parser's error quotes the text that it could not read.
    throw unusable(path)
  }
}

function unusable(path: string): WorkerUnavailable {
  const name = path.split('?', 1)[0]
  return new WorkerUnavailable(`The auth service answered ${name} with something else.`)
}

/** A name such as ECONNREFUSED. The rest of an error may quote the request with its cookie. */
function codeOf(error: unknown): string {
  for (const cause of [isRecord(error) ? error.cause : undefined, error]) {
    const code = isRecord(cause) ? String(cause.code) : ''
    if (/^[A-Z][A-Z0-9_]{2,40}$/.test(code)) return code
  }
  return error instanceof Error && /^[A-Za-z]{1,40}$/.test(error.name) ? error.name : 'error'
}
