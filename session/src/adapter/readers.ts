import { BoundedCache } from '../internal/bounded-cache.js'
import type { Environment } from '../internal/environment.js'
import { createVerifier, type Verifier } from '../verifier/create-verifier.js'
import type { CookieOptions } from '../verifier/options.js'
import { RevocationList } from '../verifier/revocations.js'
import type { WorkerAddress } from '../verifier/worker-client.js'
import type { HostConfig } from './host-config.js'
import { addressOf, type ServiceProcess } from './in-process.js'

/** What reads sessions, and what is known of their end. */
export interface Reader {
  readonly verifier: Verifier
  /** What ended in this process, and need not be heard of. */
  readonly ended: RevocationList
}

/** What a reader is made from. */
export interface ReaderParts {
  readonly keys: { readonly secret: readonly string[] } | { readonly publicKeys?: unknown }
  readonly worker: WorkerAddress | undefined
  /** How the service is served in this process. */
  readonly served: HostConfig | undefined
  readonly basePath: string | undefined
  readonly env: Environment
  readonly issuer: string
  readonly cookie: CookieOptions
  /** Seconds. */
  readonly maxDelay: number | undefined
}

/**
 * Readers by what they are made from: they remember verified tokens and the sessions that ended, also
 * where the configuration is a new object for each request.
 */
export class Readers {
  readonly #process: ServiceProcess
  readonly #logger: HostConfig['logger']
  readonly #readers = new BoundedCache<Reader>(50)
  readonly #ids = new WeakMap<object, number>()
  #lastId = 0

  /** @param logger where it is the same for all requests */
  constructor(process: ServiceProcess, logger: HostConfig['logger']) {
    this.#process = process
    this.#logger = logger
  }

  reader(parts: ReaderParts): Reader {
    const name = this.#nameOf(parts)
    return this.#readers.get(name) ?? this.#readers.set(name, this.#create(parts))
  }

  #create({ keys, worker, served, basePath, env, issuer, cookie, maxDelay }: ReaderParts): Reader {
    const ended = new RevocationList(Date.now)
    const logger = this.#logger
    const config = served && logger ? { ...served, logger } : served
    const verifier = createVerifier({
      ...keys,
      worker: config ? addressOf(this.#process, { config, basePath, env, ended }) : worker,
      issuer,
      cookie,
      revocation: { maxDelay: maxDelay ?? 15 },
      onError: logger?.error && ((error) => void logger.error?.(error)),
    })
    return { verifier, ended }
  }

  /** Objects count by their identity, everything else by its value. */
  #nameOf({ env, worker, served, ...values }: ReaderParts): string {
    const { store, ...core } = served ?? {}
    return JSON.stringify([
      values,
      typeof worker === 'object' ? this.#idOf(worker) : worker,
      served && [core, store && this.#idOf(store.ledger), this.#idOf(env)],
    ])
  }

  #idOf(object: object): number {
    const known = this.#ids.get(object)
    if (known !== undefined) return known
    this.#ids.set(object, ++this.#lastId)
    return this.#lastId
  }
}
