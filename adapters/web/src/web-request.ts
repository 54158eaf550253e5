import {
  FetchRequest,
  type Host,
  type HostRequest,
  RequestSession,
  type RequireSessionOptions,
  sessionGate,
} from '@latchkey/host'
import type { Session } from '@latchkey/session'

/** What the platform gives beside a request. */
export interface Platform {
  /** Bindings and variables, the same object for all requests. Default: `process.env`. */
  readonly env?: object | undefined
  /** The `ExecutionContext` of Workers. */
  readonly ctx?: { waitUntil(work: Promise<unknown>): void } | undefined
  /** The address of the client's connection. Workers have it in `CF-Connecting-IP`. */
  readonly client?: string | undefined
}

/** A configuration, or a function that makes one for each request. */
export type Source = Parameters<Host['mount']>[0]

/** On the page at `redirectTo`, which passes without a session. */
const NO_USER: Session = Object.freeze({ expires: new Date(0).toISOString() })

/** A standard request in the form that the host reads. */
export class WebRequest extends FetchRequest<Request> {
  readonly env: HostRequest['env']
  readonly session: RequestSession
  /** Does the browser get no cookie any more? An old session must not be used up then. */
  takesNoCookies: boolean
  isAnswered = false
  readonly #platform: Platform | undefined
  readonly #host: Host
  readonly #demands: Promise<unknown>[] = []
  #refusal: Response | undefined
  /** Why a demand is undecided: the service is silent, or an option is invalid. */
  fault: unknown

  /** @param platform `undefined`: the request is not one that `handle` was given */
  constructor(
    request: Request,
    source: Source,
    host: Host,
    env: HostRequest['env'],
    platform?: Platform,
  ) {
    super(request, request, source)
    this.env = env
    this.#host = host
    this.session = new RequestSession(() => host.read(this))
    this.takesNoCookies = platform === undefined
    this.#platform = platform
  }

  protected get peer(): string | undefined {
    return this.#platform?.client
  }

  get waitUntil(): HostRequest['waitUntil'] {
    const { ctx } = this.#platform ?? {}
    return ctx && ((work) => ctx.waitUntil(work))
  }

  /** @throws {Response} the refusal */
  requireSession(options?: RequireSessionOptions): Promise<Session> {
    const demand = this.#require(options)
    // A handler that forgets `await` is refused all the same, and ends no process.
    this.#demands.push(
      demand.catch((fault) => {
        if (!(fault instanceof Response)) this.fault = fault
      }),
    )
    return demand
  }

  async #require(options: RequireSessionOptions = {}): Promise<Session> {
    const gate = sessionGate(options)
    const reading = await this.session.reading()
    const refusal = await gate(this, reading, this.#host)
    if (!refusal) return reading.session ?? NO_USER
    // A framework may read the body of the one that is thrown.
    this.#refusal ??= refusal.clone()
    throw refusal
  }

  /** The first refusal, when every demand is decided. */
  async refusal(): Promise<Response | undefined> {
    if (this.#demands.length > 0) await Promise.all(this.#demands)
    return this.#refusal
  }
}
