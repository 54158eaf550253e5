import type { Verifier, VerifierOptions, WorkerAddress } from '@latchkey/session'
import { BoundedCache, createReader, RevocationList } from '@latchkey/session/internal'
import type { Environment } from '../shared/environment.js'
import type { HostConfig } from './host-config.js'
import type { ServiceProcess } from './in-process.js'
import { logErrorOf } from './log-error.js'
import { warnBy } from './origin-warnings.js'
import type { OwnService } from './own-service.js'
import { Prover } from './prover.js'

/** A verifier, and the sessions that ended in this process. */
export interface Reader {
  readonly verifier: Verifier
  /** The options of the verifier: the same object for as long as it is the same one. */
  readonly options: VerifierOptions
  /** Sessions that ended in this process, known without the feed. */
  readonly ended: RevocationList
  /** Proves this app to a Worker. */
  readonly prover: Prover
  /** The service in this process, for the verifier's own calls. */
  readonly own: OwnService | undefined
}

/** What tells a service in this process from another one. */
export interface ServedMark {
  /** They count by their value. */
  readonly values: object
  readonly store: object | undefined
}

/** The options of a reader. */
export interface ReaderParts {
  readonly keys: { readonly secret: readonly string[] } | { readonly publicKeys?: unknown }
  /** The secrets with which this app proves itself. */
  readonly proofSecrets: readonly string[]
  readonly worker: WorkerAddress | undefined
  /** The service in this process. */
  readonly served: ServedMark | undefined
  readonly basePath: string | undefined
  readonly env: Environment
  readonly issuer: string
  readonly cookie: NonNullable<VerifierOptions['cookie']>
  /** Seconds. */
  readonly maxDelay: number | undefined
}

/** What a reader is made with, which does not tell it from another one. */
export interface ReaderTools {
  readonly process?: Pick<ServiceProcess, 'own'> | undefined
  /** The app's, if it is the same for all requests. */
  readonly logger?: HostConfig['logger']
  /** Calls a Worker, instead of the global `fetch`. */
  readonly fetch?: typeof fetch
}

/**
 * Readers by their options: they cache verified tokens and ended sessions, also if the
 * configuration is a new object for each request.
 */
export class Readers {
  readonly #readers = new BoundedCache<Reader>(50)
  readonly #ids = new WeakMap<object, number>()
  #lastId = 0

  /** @param tools of the first one that asks: several apps of a process may share this */
  reader(parts: ReaderParts, tools: ReaderTools): Reader {
    const name = this.#nameOf(parts)
    return this.#readers.get(name) ?? this.#readers.set(name, this.#create(parts, tools))
  }

  #create(
    { keys, worker, served, issuer, cookie, ...parts }: ReaderParts,
    { process, logger, fetch }: ReaderTools,
  ): Reader {
    const ended = new RevocationList(Date.now)
    const prover = new Prover(parts.proofSecrets, fetch)
    const own = served && process?.own()
    const options: VerifierOptions = {
      ...keys,
      worker: own ?? worker,
      issuer,
      cookie,
      revocation: { maxDelay: parts.maxDelay ?? 15 },
      fetch: typeof worker === 'string' ? prover.fetchOf(worker) : undefined,
      onError: onErrorBy(logger),
    }
    const verifier = createReader(options, ended)
    return { verifier, options, ended, prover, own }
  }

  /** Objects count by their identity, everything else by its value. */
  #nameOf({ env, worker, served, ...values }: ReaderParts): string {
    const { values: mark, store } = served ?? {}
    return JSON.stringify([
      values,
      typeof worker === 'object' ? this.#idOf(worker) : worker,
      served && [mark, store && this.#idOf(store), this.#idOf(env)],
    ])
  }

  #idOf(object: object): number {
    const id = this.#ids.get(object)
    if (id !== undefined) return id
    this.#ids.set(object, ++this.#lastId)
    return this.#lastId
  }
}

/** While the feed fails for long, no session is at fault, and the owner of the app is warned. */
function onErrorBy(logger: HostConfig['logger']): (error: Error) => void {
  const warn = warnBy(logger)
  const report = logErrorOf(logger ? { logger } : {})
  return (error) =>
    (error as { code?: unknown }).code === 'feed-unheard'
      ? warn('feed-unheard', error.message)
      : report(error)
}
