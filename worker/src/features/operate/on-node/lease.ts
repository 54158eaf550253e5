import { randomToken } from '../../../lib/base64url.js'
import type { Change } from '../../../stores/stored.js'
import { change, type Documents, KEYS } from './documents.js'

/** A process that has ended is succeeded after so long, in milliseconds. */
export const LEASE = 10_000

interface Held {
  readonly holder?: unknown
  /** By the clock of the store: milliseconds since the epoch. */
  readonly until?: unknown
}

/**
 * Lets one of the processes that share a store do the regular work. It renews its lease while it lives. A process that stood still
 * for longer than its lease may go on with its work without knowing that another one does it. So each change of that
 * work asks for the term of its process (`fence`), and another process that takes over begins another term.
 */
export class Lease {
  readonly #documents: Documents
  readonly #holder = randomToken(16)
  readonly #tell: (now: number) => void
  #fence: Change | undefined

  /** @param documents without a fence @param tell learns what the clock of the store says */
  constructor(documents: Documents, tell: (now: number) => void = () => {}) {
    this.#documents = documents
    this.#tell = tell
  }

  /**
   * Takes the lease if nobody has it, or renews it.
   *
   * @returns what each change of this term asks for, the same as long as the term lasts; `undefined`: another process has the lease
   */
  async hold(): Promise<Change | undefined> {
    const { found, now } = await this.#documents.getNow([KEYS.lease, KEYS.term])
    this.#tell(now)
    const [lease, term] = found
    const { holder, until } = heldIn(lease?.content)
    // A time that no process writes does not count.
    const left = typeof until === 'number' && until <= now + 2 * LEASE ? until - now : 0
    const isOwn = holder === this.#holder && this.#fence?.before === term?.raw
    if (!isOwn && left > 0) this.#fence = undefined
    if (isOwn ? left > LEASE / 2 : left > 0) return this.#fence
    const next = JSON.stringify({ holder: this.#holder, until: Math.ceil(now) + LEASE })
    const fence = isOwn ? this.#fence : undefined
    const began = fence ? fence : change(KEYS.term, term?.raw ?? null, randomToken(16))
    const isDone = await this.#documents.commit(
      [change(KEYS.lease, lease?.raw ?? null, next), began],
      now,
    )
    if (!isDone) return this.#fence
    this.#fence = fence ?? { table: began.table, key: began.key, before: began.after ?? null }
    return this.#fence
  }
}

function heldIn(content: string | undefined): Held {
  try {
    return (JSON.parse(content ?? '{}') ?? {}) as Held
  } catch {
    return {}
  }
}
