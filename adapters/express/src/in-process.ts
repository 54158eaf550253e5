import { BoundedMap, DEFAULT_BASE_PATH, hearingLedger, isBasePath } from '@latchkey/session/adapter'
import type { RevocationList } from '@latchkey/session/internal'
import type { AuthConfig, AuthHandler } from '@latchkey/worker'
import type { Service, ServiceCall } from './service.js'
import { toRequestParts } from './to-request.js'
import { issuerIn } from './token-issuer.js'
import type { InProcessConfig } from './types.js'
import { loadWorkerPackage, type WorkerPackage } from './worker-package.js'

/**
 * The auth service inside this process: the app that the Worker runs, with one handler for each base
 * path and one store for all of them.
 */
export class InProcess implements Service {
  readonly address = { fetch: (url: string, init?: RequestInit) => this.#ask(url, init) }
  readonly #config: InProcessConfig
  readonly #basePath: string
  readonly #package: Promise<WorkerPackage>
  readonly #ended: RevocationList
  readonly #handlers = new BoundedMap<AuthHandler<NodeJS.ProcessEnv>>(100)
  #store: NonNullable<AuthConfig['store']> | undefined

  /**
   * @param basePath where the configuration says it
   * @param ended is told of every session that ends here
   */
  constructor(config: InProcessConfig, basePath: string | undefined, ended: RevocationList) {
    this.#config = config
    this.#basePath = basePath ?? DEFAULT_BASE_PATH
    this.#ended = ended
    // Now, so that a package that is missing ends the process at its start and not at a request.
    this.#package = loadWorkerPackage()
  }

  async answer(call: ServiceCall): Promise<Response> {
    const { origin, place } = call
    const handler = await this.#handler(place.base)
    const { url, init } = toRequestParts(call, origin.origin + place.base)
    init.headers.set('host', origin.host)
    // What the service counts attempts by: Express's word for it, and never the request's own.
    const { ip } = call.req as { ip?: unknown }
    if (typeof ip === 'string') init.headers.set('cf-connecting-ip', ip)
    else init.headers.delete('cf-connecting-ip')
    return handler.fetch(new Request(url, init), process.env)
  }

  /** The verifier's own questions. Where it does not know the base path the token does. */
  async #ask(address: string, init: RequestInit = {}): Promise<Response> {
    const url = new URL(address)
    const at = url.pathname.lastIndexOf('/')
    const base = url.pathname.slice(0, at)
    if (base === '/*') {
      const issuer = issuerIn(new Headers(init.headers).get('cookie')) ?? ''
      const path = issuer.startsWith(`${url.origin}/`) ? issuer.slice(url.origin.length) : ''
      url.pathname = (isBasePath(path) ? path : this.#basePath) + url.pathname.slice(at)
    }
    const handler = await this.#handler(url.pathname.slice(0, url.pathname.lastIndexOf('/')))
    return handler.fetch(new Request(url, init), process.env)
  }

  async #handler(basePath: string): Promise<AuthHandler<NodeJS.ProcessEnv>> {
    const known = this.#handlers.get(basePath)
    if (known) return known
    const { createAuth, memoryStore } = await this.#package
    if (!this.#store) {
      const { sessions, ledger } = this.#config.store ?? memoryStore()
      this.#store = { sessions, ledger: hearingLedger(ledger, this.#ended, this.#config.session) }
    }
    const { online, revocation, worker, publicKeys, ...config } = this.#config
    return this.#handlers.set(basePath, createAuth({ ...config, basePath, store: this.#store }))
  }
}
