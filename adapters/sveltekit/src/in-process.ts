import type { WorkerAddress } from '@latchkey/session'
import { type Environment, hearingLedger } from '@latchkey/session/adapter'
import type { RevocationList } from '@latchkey/session/internal'
import type { AuthConfig, AuthHandler, RequestContext } from '@latchkey/worker'
import { initOf, type Service, type ServiceCall } from './service.js'

/** A configuration of the service, and what it is served with. */
export interface Served {
  readonly config: AuthConfig
  readonly env: Environment
  /** Is told of every session that ends here. */
  readonly ended: RevocationList
  readonly ctx?: RequestContext | undefined
}

type Store = NonNullable<AuthConfig['store']>

/**
 * The auth service inside the app: one handler, which keeps what is derived from secrets and from the
 * ledger, and for each of its requests that request's own configuration.
 */
export class AuthServer {
  readonly #configs = new WeakMap<Request, AuthConfig>()
  readonly #completed = new WeakMap<AuthConfig, AuthConfig>()
  readonly #hearing = new WeakMap<RevocationList, WeakMap<object, Store['ledger']>>()
  #handler: AuthHandler<Environment> | undefined
  #memory: Store | undefined

  async answer(url: string | URL, init: RequestInit, served: Served): Promise<Response> {
    const request = new Request(url, init)
    this.#configs.set(request, await this.#complete(served))
    const handler = this.#handler ?? (await this.#create())
    return handler.fetch(request, served.env, served.ctx)
  }

  /** For the app's apps that forward, the service's code is never loaded. */
  async #create(): Promise<AuthHandler<Environment>> {
    const { createAuth } = await import('@latchkey/worker')
    this.#handler ??= createAuth<Environment>(
      (_, request) => this.#configs.get(request) as AuthConfig,
    )
    return this.#handler
  }

  async #complete(served: Served): Promise<AuthConfig> {
    const { config } = served
    const known = this.#completed.get(config)
    if (known) return known
    const store = await this.#storeOf(served)
    const complete = store ? { ...config, store } : config
    this.#completed.set(config, complete)
    return complete
  }

  /** `undefined`: the bindings, of which the service says it when one is missing. */
  async #storeOf({ config, env, ended }: Served): Promise<Store | undefined> {
    if (!config.store && (env.SESSIONS || env.LEDGER)) return undefined
    const { sessions, ledger } = config.store ?? this.#memory ?? (await this.#remember())
    const heard = this.#hearing.get(ended) ?? new WeakMap<object, Store['ledger']>()
    this.#hearing.set(ended, heard)
    const known = heard.get(ledger) ?? hearingLedger(ledger, ended, config.session)
    heard.set(ledger, known)
    return { sessions, ledger: known }
  }

  async #remember(): Promise<Store> {
    const { memoryStore } = await import('@latchkey/worker/stores/memory')
    this.#memory ??= memoryStore()
    return this.#memory
  }
}

/** The service as one request has it. */
export class InProcess implements Service {
  readonly address: WorkerAddress
  readonly #server: AuthServer
  readonly #served: Served

  constructor(server: AuthServer, served: Served) {
    this.#server = server
    this.#served = served
    this.address = addressOf(server, served)
  }

  answer(call: ServiceCall): Promise<Response> {
    const { origin, route, client } = call
    const init = initOf(call)
    // What the service counts by; no request can say it itself.
    if (client !== undefined) init.headers.set('cf-connecting-ip', client)
    const { basePath = '' } = this.#served.config
    return this.#server.answer(origin.origin + basePath + route, init, this.#served)
  }
}

/** The service as a verifier asks it. */
export function addressOf(server: AuthServer, served: Served): WorkerAddress {
  return { fetch: (url, init = {}) => server.answer(url, init, served) }
}
