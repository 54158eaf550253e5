import {
  createVerifier,
  type Verifier,
  type VerifierOptions,
  type WorkerAddress,
} from '@latchkey/session'
import { BoundedMap, type Environment } from '@latchkey/session/adapter'
import { RevocationList } from '@latchkey/session/internal'
import type { AuthConfig } from '@latchkey/worker'
import { type AuthServer, addressOf } from './in-process.js'

/** What reads sessions, and what is known of their end. */
export interface Reader {
  readonly verifier: Verifier
  readonly ended: RevocationList
}

/** What a reader is made from. */
export interface ReaderParts {
  readonly keys: { readonly secret: readonly string[] } | { readonly publicKeys?: unknown }
  readonly worker: WorkerAddress | undefined
  readonly served: AuthConfig | undefined
  readonly env: Environment
  readonly issuer: string
  readonly cookie: VerifierOptions['cookie']
  /** Seconds. */
  readonly maxDelay: number | undefined
}

/**
 * Readers by what they are made from: they remember verified tokens and the sessions that ended, also
 * where the configuration is a new object for each request.
 */
export class Readers {
  readonly #server: AuthServer
  readonly #onError: ((error: Error) => void) | undefined
  readonly #readers = new BoundedMap<Reader>(50)
  readonly #ids = new WeakMap<object, number>()
  #lastId = 0

  /** @param onError of a logger that is the same for all requests */
  constructor(server: AuthServer, onError: ((error: Error) => void) | undefined) {
    this.#server = server
    this.#onError = onError
  }

  reader(parts: ReaderParts): Reader {
    const name = this.#nameOf(parts)
    return this.#readers.get(name) ?? this.#readers.set(name, this.#create(parts))
  }

  #create({ keys, worker, served, env, issuer, cookie, maxDelay }: ReaderParts): Reader {
    const ended = new RevocationList(Date.now)
    const verifier = createVerifier({
      ...keys,
      worker: served ? addressOf(this.#server, { config: served, env, ended }) : worker,
      issuer,
      cookie,
      revocation: { maxDelay: maxDelay ?? 15 },
      onError: this.#onError,
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
