import { AuthError, type WorkerAddress } from '@latchkey/session'
import { BoundedCache, type RevocationList } from '@latchkey/session/internal'
import type { Environment } from '../shared/environment.js'
import { InvalidConfiguration } from '../shared/invalid-configuration.js'
import type { ServiceStore } from '../shared/named-store.js'
import { anyBase, standing } from '../shared/origin.js'
import { isPublicSuffix } from '../shared/public-suffix.js'
import { DEFAULT_BASE_PATH, isBasePath } from '../shared/service-routes.js'
import { seenOptions } from '../shared/unknown-options.js'
import { hearingLedger, type RevokingLedger } from './hearing-ledger.js'
import type { HostConfig } from './host-config.js'
import type { WaitUntil } from './host-request.js'
import { hasBindings, namedStoreOf, newStores, openNamed } from './named-stores.js'
import { OwnService } from './own-service.js'
import type { Share } from './process-state.js'
import type { Service, ServiceCall, ServicePackage } from './service.js'
import { issuerIn } from './token-issuer.js'
import { warnOfMemory } from './warn-of-memory.js'

/** A configuration of the service, with its environment. */
export interface Served {
  readonly config: HostConfig
  /** The environment, if it is known before a request. */
  readonly basePath: string | undefined
  readonly env: Environment
  /** Called with every session that ends here. */
  readonly ended: RevocationList
}

type Handler = ReturnType<ServicePackage['createAuth']>

/**
 * The service in the app's own process. An adapter's entry for apps that forward leaves this out, and a bundler then
 * leaves out the service.
 *
 * @param load the service's package, when the first configuration with `providers` needs it
 * @example createHost({ name: 'authHandler', service: inProcess(() => import('@latchkey/worker')) })
 */
export function inProcess(
  load: () => Promise<ServicePackage>,
): (name: string, share?: Share) => ServiceProcess {
  return (name, share) => new ServiceProcess(name, load, share)
}

/**
 * The auth service inside the app: one handler, which caches keys and recent endings, and uses each
 * request's own configuration.
 */
export class ServiceProcess {
  readonly #name: string
  readonly #load: () => Promise<ServicePackage>
  readonly #share: Share | undefined
  readonly #configs = new WeakMap<Request, object>()
  readonly #completed = new WeakMap<HostConfig, BoundedCache<object>>()
  readonly #hearing = new WeakMap<RevocationList, WeakMap<object, RevokingLedger>>()
  #handler: Handler | undefined
  #memory: ServiceStore | undefined
  #refusal: Error | undefined

  /** @param name the adapter's function, for messages */
  constructor(name: string, load: () => Promise<ServicePackage>, share?: Share) {
    this.#name = name
    this.#load = load
    this.#share = share
  }

  /**
   * Loads the service's code, which apps that forward never need: its package is an optional peer.
   *
   * @throws {AuthError} naming the package, if it is not installed
   */
  async load(): Promise<ServicePackage> {
    try {
      return await this.#load()
    } catch (error) {
      const { code, message = '' } = error as { code?: string; message?: string }
      // A bundle may lack the package: then the bundler's own function throws.
      const isMissing = code === undefined || /^(?:ERR_)?MODULE_NOT_FOUND$/.test(code)
      if (!isMissing || !message.includes('@latchkey/worker')) throw error
      throw new AuthError(
        `${this.#name} with \`providers\` answers the auth routes itself, and needs the package for that: npm install @latchkey/worker`,
        { cause: error },
      )
    }
  }

  /** By the whole list, which an app that only forwards does not carry. */
  readonly isPublicSuffix = isPublicSuffix

  /**
   * Finds mistakes that must be reported at the start.
   * @throws {InvalidConfiguration}
   */
  check(config: HostConfig, env: Environment): void {
    namedStoreOf(config, env)
  }

  /** The service of one configuration. */
  serve(served: Served): Service {
    return new InProcess(this, served)
  }

  /** That of the newest configuration, for the verifier's own calls. */
  own(): OwnService {
    return new OwnService()
  }

  async answer(
    request: Request,
    base: string,
    served: Served,
    waitUntil: WaitUntil | undefined,
  ): Promise<Response> {
    this.#configs.set(request, await this.#complete(served, base))
    if (served.basePath === undefined) Object.assign(request, { [anyBase]: true })
    const handler = this.#handler ?? (await this.#create())
    return handler.fetch(request, served.env, waitUntil && { waitUntil })
  }

  /** @throws {AuthError} the store is another service's, as far as that is known */
  checkStore({ config, env }: Served): void {
    const { message } = this.#refusal ?? {}
    if (message === undefined) return
    const named = namedStoreOf(config, env) ? 'AUTH_STORE cannot be used. ' : ''
    throw new AuthError(named + message)
  }

  /**
   * The service names at the start what its providers lack, which it would at the first request.
   *
   * @throws {AuthError} it cannot use the configuration, and has logged the mistake
   */
  async prepare(served: Served): Promise<void> {
    const request = new Request('https://start.invalid/')
    const answer = await this.answer(
      request,
      served.basePath ?? DEFAULT_BASE_PATH,
      served,
      undefined,
    )
    await answer.body?.cancel()
    if (answer.status === 500) {
      throw new Unusable(
        `${this.#name} cannot use this configuration. The line of the log above says why.`,
      )
    }
  }

  async #create(): Promise<Handler> {
    const { createAuth } = await this.load()
    this.#handler ??= createAuth((_, request) => this.#configs.get(request) as never)
    return this.#handler
  }

  /** The service's own configuration: the same object for the same one of the app's. */
  async #complete(served: Served, basePath: string): Promise<object> {
    const { online, revocation, worker, publicKeys, ...config } = served.config
    const known = this.#completed.get(served.config)?.get(basePath)
    if (known) return known
    const store = await this.#storeOf(served)
    const complete = seenOptions({ ...config, basePath, ...(store ? { store } : {}) })
    const byPath = this.#completed.get(served.config) ?? new BoundedCache<object>(100)
    this.#completed.set(served.config, byPath)
    return byPath.set(basePath, complete)
  }

  /** `undefined`: the bindings; the service reports a missing one. */
  async #storeOf(served: Served): Promise<ServiceStore | undefined> {
    const { config, env, ended } = served
    if (!config.store && hasBindings(env)) return undefined
    const store =
      config.store ??
      (await this.openNamed(served)) ??
      this.#memory ??
      (await this.#remember(served))
    const heard = this.#hearing.get(ended) ?? new WeakMap<object, RevokingLedger>()
    this.#hearing.set(ended, heard)
    const hear = (ledger: RevokingLedger) => {
      const known = heard.get(ledger) ?? hearingLedger(ledger, ended)
      heard.set(ledger, known)
      return known
    }
    const { sessions, rows, ledger } = store as ServiceStore & { readonly ledger?: unknown }
    const parts = { sessions, rows, ledger, hear }
    return store.claim ? { ...parts, claim: (mark) => this.#claim(store, mark) } : parts
  }

  /** Remembers for the start that a store is another service's. */
  async #claim(store: ServiceStore, mark: never): Promise<unknown> {
    try {
      return await store.claim?.(mark)
    } catch (error) {
      // By its name: a store that is loaded at run time has the class of another copy of the package.
      if (error instanceof Error && error.name === InvalidConfiguration.type) this.#refusal = error
      throw error
    }
  }

  /** Opens the store of `AUTH_STORE`, if that decides. */
  openNamed(served: Served): Promise<ServiceStore> | undefined {
    return openNamed(served, this.#share?.('opened', newStores) ?? OPENED, () => this.load())
  }

  async #remember(served: Served): Promise<ServiceStore> {
    const { memoryStore } = await this.load()
    const make = () => {
      warnOfMemory(served)
      return memoryStore()
    }
    this.#memory ??= this.#share?.('memory', make) ?? make()
    return this.#memory
  }
}

/** A mistake in the configuration that only the service finds. */
class Unusable extends AuthError {}

/** For a framework that loads this module once. */
const OPENED = newStores()

/** The service of one configuration. */
class InProcess implements Service {
  readonly #process: ServiceProcess
  readonly #served: Served
  readonly #address: WorkerAddress

  constructor(process: ServiceProcess, served: Served) {
    this.#process = process
    this.#served = served
    this.#address = addressOf(process, served)
  }

  async load(): Promise<void> {
    await this.#process.load()
    await this.#process.openNamed(this.#served)
    // The first request that needs it reports any other failure.
    const fault: unknown = await this.#process.prepare(this.#served).catch((error) => error)
    this.#process.checkStore(this.#served)
    if (fault instanceof Unusable) throw fault
  }

  address(waitUntil: WaitUntil | undefined): WorkerAddress {
    if (waitUntil === undefined) return this.#address
    return addressOf(this.#process, this.#served, waitUntil)
  }

  answer({
    base,
    route,
    init,
    origin,
    client,
    isProxy,
    waitUntil,
  }: ServiceCall): Promise<Response> {
    const { headers } = init
    headers.set('host', origin.host)
    // The service counts attempts by this address, which no request can set itself. By a proxy's it would
    // count all users as one.
    if (client !== undefined && !isProxy) headers.set('cf-connecting-ip', client)
    const request = new Request(origin.origin + base + route, init)
    Object.assign(request, { [standing]: origin.standing })
    return this.#process.answer(request, base, this.#served, waitUntil)
  }
}

/** Where the route begins in a path, such as `/session` or `/oauth/token`. */
function routeIn(path: string, basePath: string | undefined): number {
  if (basePath !== undefined && path.startsWith(`${basePath}/`)) return basePath.length
  return path.search(/\/(?:oauth\/)?[^/]*$/)
}

/**
 * The service in the form that a verifier calls. If the base path is unknown, the token names it.
 */
function addressOf(process: ServiceProcess, served: Served, waitUntil?: WaitUntil): WorkerAddress {
  return {
    async fetch(address, init = {}) {
      const url = new URL(address)
      const at = routeIn(url.pathname, served.basePath)
      let base = url.pathname.slice(0, at)
      if (base === '/*') {
        const issuer = issuerIn(new Headers(init.headers).get('cookie')) ?? ''
        const path = issuer.startsWith(`${url.origin}/`) ? issuer.slice(url.origin.length) : ''
        base = isBasePath(path) ? path : (served.basePath ?? DEFAULT_BASE_PATH)
        url.pathname = base + url.pathname.slice(at)
      }
      return process.answer(new Request(url, init), base, served, waitUntil)
    },
  }
}
