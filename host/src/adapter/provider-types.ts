import type { WorkerAddress } from '@latchkey/session'
import { BoundedCache } from '@latchkey/session/internal'

/** The type of each provider, by its id. */
export type TypesById = ReadonlyMap<string, string>

/** How long a Worker's list is cached. Milliseconds. */
const FRESH = 60_000

/** The types of the providers of Workers, cached. */
export class ProviderTypes {
  readonly #types = new BoundedCache<{ readonly types: TypesById; readonly at: number }>(100)
  readonly #bindings = new WeakMap<object, number>()
  #lastBinding = 0

  /** @param load asks the Worker; its answer is cached, and never the promise */
  async of(
    worker: WorkerAddress,
    origin: string,
    load: () => Promise<TypesById>,
  ): Promise<TypesById> {
    const name = `${this.#nameOf(worker)} ${origin}`
    const entry = this.#types.get(name)
    if (entry && Math.abs(Date.now() - entry.at) < FRESH) return entry.types
    const types = await load()
    this.#types.set(name, { types, at: Date.now() })
    return types
  }

  #nameOf(worker: WorkerAddress): string | number {
    if (typeof worker === 'string') return worker
    const id = this.#bindings.get(worker) ?? ++this.#lastBinding
    this.#bindings.set(worker, id)
    return id
  }
}

/** The answer of `GET /providers`. */
export function typesIn(answer: object): TypesById {
  const types = new Map<string, string>()
  for (const [id, provider] of Object.entries(answer)) {
    const { type } = (provider ?? {}) as { type?: unknown }
    if (typeof type === 'string') types.set(id, type)
  }
  return types
}
