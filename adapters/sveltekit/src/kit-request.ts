import {
  checkNeeds,
  type Host,
  type HostMessage,
  type HostRequest,
  isEnough,
  Refusal,
} from '@latchkey/host'
import type { SessionNeeds } from '@latchkey/session'
import { type Reading, type Session, WorkerUnavailable } from '@latchkey/session'
import { error, isRedirect } from '@sveltejs/kit'
import { bodyOf } from './body-of.js'
import { withEnvFile } from './dev-env.js'
import { setWithKit } from './set-with-kit.js'
import type { ConfigSource, KitEvent } from './types.js'

type Environment = HostRequest['env']

/** The platform object of Cloudflare's adapter. */
interface Platform {
  readonly env?: unknown
  readonly ctx?: Lifetime
  /** The name of `ctx` in earlier versions. */
  readonly context?: Lifetime
  /** Node's request, if adapter-node serves the app. */
  readonly req?: {
    readonly socket?: { readonly encrypted?: boolean; readonly remoteAddress?: string }
  }
}

interface Lifetime {
  waitUntil(work: Promise<unknown>): void
}

/** Kit's event in the form that the host reads: for the hook, `locals.auth()` and form actions. */
export class KitRequest implements HostRequest {
  readonly native: KitEvent
  readonly source: ConfigSource | undefined
  readonly #host: Host
  #session: Promise<Session | null> | undefined
  /** The reading behind it. */
  #reading: Reading | undefined
  #wasRead = false
  #isAnswered = false

  constructor(native: KitEvent, source: ConfigSource | undefined, host: Host) {
    this.native = native
    this.source = source
    this.#host = host
  }

  /** The result of `locals.auth()`. Rejects and names a need that is invalid. */
  session(needs?: SessionNeeds): Promise<Session | null> {
    this.#wasRead = true
    if (!this.#session) {
      this.#session = this.#read()
      // Callers get the rejection. A page that calls without `await` must not end the process.
      this.#session.catch(() => {})
    }
    if (needs === undefined) return this.#session
    const enough = this.#session.then((session) => this.#ifEnough(session, needs))
    enough.catch(() => {})
    return enough
  }

  async #read(): Promise<Session | null> {
    const pending = this.#host.read(this)
    this.#reading = pending instanceof Promise ? await pending.catch(throwAsKit) : pending
    return this.#reading.session
  }

  /** A session that was read before a sign-in or sign-out does not count. */
  #ifEnough(session: Session | null, needs: SessionNeeds): Session | null {
    checkNeeds(needs)
    if (!this.#reading?.claims || this.#reading.session !== session) return null
    return isEnough(this.#reading.claims, Date.now(), needs) ? session : null
  }

  /** Forgets the session after a possible sign-in or sign-out. */
  forgetSession(): void {
    this.#session = undefined
  }

  /** The app's answer, with our cookies, and kept from caches if it depends on the session. */
  finish(response: Response): Response {
    this.#isAnswered = true
    return this.#host.finish(this, response, this.#wasRead)
  }

  /**
   * A hook of the app has thrown a redirect or an error, from which Kit makes the answer: it adds
   * only the cookies that were set through it.
   *
   * @returns what to throw: beside a cookie no redirect that a cache may keep without being told to (RFC 9110, 15.1)
   */
  abandon(thrown: unknown): unknown {
    this.#isAnswered = true
    const lines = this.#host.cookies(this)
    try {
      for (const line of lines) setWithKit(this.native.cookies, line)
    } catch {
      // Kit has already sent its answer. The next request renews again.
      return thrown
    }
    if (lines.length === 0 || !isRedirect(thrown)) return thrown
    const brief = { 301: 302, 308: 307 }[thrown.status as number]
    // A copy, since the app may throw the same one again.
    return brief ? Object.create(thrown, { status: { value: brief } }) : thrown
  }

  /** A read while the answer is sent, such as for streamed data, is too late for a cookie. */
  get takesNoCookies(): boolean {
    return this.#isAnswered
  }

  get isAnswered(): boolean {
    return this.#isAnswered
  }

  get env(): Environment {
    const { env: bindings } = this.#platform
    return isObject(bindings) ? withVariables(bindings) : processEnv()
  }

  get method(): string {
    return this.native.request.method
  }

  get target(): string {
    return this.native.url.pathname + this.native.url.search
  }

  get path(): string {
    return this.native.url.pathname
  }

  get cookie(): string | null {
    return this.native.request.headers.get('cookie')
  }

  header(name: string): string | null {
    return this.native.request.headers.get(name)
  }

  get scheme(): string {
    return this.native.url.protocol.slice(0, -1)
  }

  get host(): string {
    return this.native.url.host
  }

  /**
   * Outside of Cloudflare, where requests are routed by their host, Kit's adapters take it from the
   * request. `ORIGIN` is adapter-node's variable for the app's public origin.
   */
  get hostIs(): HostRequest['hostIs'] {
    if (isOrigin(this.env.ORIGIN, this.native.url)) return 'named'
    const isCloudflare = isObject(this.#platform.env) && this.waitUntil !== undefined
    return isCloudflare ? 'routed' : undefined
  }

  /**
   * Without `ORIGIN` adapter-node takes every request for https, and Kit refuses each form that a browser sends
   * over http. On this machine alone, since elsewhere a proxy may end TLS and say nothing.
   */
  get schemeHint(): string | undefined {
    const { socket } = this.#platform.req ?? {}
    if (!socket || socket.encrypted || this.scheme !== 'https') return undefined
    if (!/^(?:localhost|127\.0\.0\.1)(?::|$)/.test(this.host) || this.hostIs === 'named')
      return undefined
    return this.header('x-forwarded-proto') ? undefined : GUESSED_HTTPS
  }

  /** The client's address, which Kit lacks while it prerenders, and where its adapter has none. */
  get client(): string | undefined {
    try {
      return this.native.getClientAddress()
    } catch {
      return undefined
    }
  }

  /** Kit's adapters do, but adapter-node only with `ADDRESS_HEADER`. Without it the client is the connection's peer. */
  get hasReadClient(): boolean {
    return this.#platform.req?.socket?.remoteAddress !== this.client
  }

  get waitUntil(): Lifetime['waitUntil'] | undefined {
    const lifetime = this.#platform.ctx ?? this.#platform.context
    if (typeof lifetime?.waitUntil !== 'function') return undefined
    return (work) => lifetime.waitUntil(work)
  }

  get isGone(): boolean {
    return this.native.request.signal.aborted
  }

  message(): HostMessage {
    const { request } = this.native
    const { method, headers, signal } = request
    return { method, headers, body: bodyOf(request), signal, isSpent: () => request.bodyUsed }
  }

  get #platform(): Platform {
    return this.native.platform ?? {}
  }
}

const GUESSED_HTTPS =
  'The app is asked over http, and Kit takes it for https: it will answer each form, and so each sign-in, with 403 "Cross-site POST form submissions are forbidden". Set ORIGIN, as in ORIGIN=http://localhost:3000, when the app runs; with SvelteKit 3 set paths.origin when it is built.'

/** Turns the host's errors into Kit's `error`, which is shown to the client and not logged. */
export function throwAsKit(fault: unknown): never {
  if (fault instanceof WorkerUnavailable) {
    // It is unknown whether a user is signed in, so the answer is neither a session nor the end of
    // one.
    error(fault.status, 'Sign-in is not available just now. Please try again in a moment.')
  }
  if (fault instanceof Refusal) error(fault.status, fault.message)
  throw fault
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** Bindings and variables as one: the same object for the same bindings. */
const merged = new WeakMap<object, Environment>()

function withVariables(bindings: object): Environment {
  const environment = merged.get(bindings)
  if (environment) return environment
  const both = { ...processEnv(), ...bindings }
  merged.set(bindings, both)
  return both
}

const NO_VARIABLES: Environment = {}

/** A Worker without Node's compatibility has no `process`. */
function processEnv(): Environment {
  const { process } = globalThis as { process?: { env?: Environment } }
  return process?.env ? withEnvFile(process.env) : NO_VARIABLES
}

function isOrigin(configured: unknown, { origin }: URL): boolean {
  if (configured === origin) return true
  if (typeof configured !== 'string' || !URL.canParse(configured)) return false
  return new URL(configured).origin === origin
}
