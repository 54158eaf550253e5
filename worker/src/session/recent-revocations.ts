import type { Ledger } from '../stores/ports.js'
import type { Logger } from '../types.js'
import { within } from '../within.js'

/** How often the ledger is asked: with the wait for its answer, an end is known in five seconds. */
const MAX_DELAY = 4_000
/** Looks overlap by as much as clocks may differ. Milliseconds. */
const OVERLAP = 60_000
/** No read waits longer for the ledger. Milliseconds. */
const MAX_WAIT = 1_000

/**
 * The sessions that ended lately, as this isolate knows them: what is needed to refuse a token that
 * has not reached its own end. The ledger is asked once in four seconds, not once for each request.
 */
export class RecentRevocations {
  readonly #ledger: Ledger
  readonly #now: () => number
  /** How long a token lives, in milliseconds: older endings need not be known. */
  readonly #memory: number
  /** When each was learned of, oldest first. */
  readonly #known = new Map<string, number>()
  #askedAt = Number.NEGATIVE_INFINITY
  #learnedAt = Number.NEGATIVE_INFINITY

  constructor(ledger: Ledger, tokenMaxAge: number, now: () => number) {
    this.#ledger = ledger
    this.#memory = (tokenMaxAge + 60) * 1000
    this.#now = now
  }

  add(sid: string): void {
    this.#known.delete(sid)
    this.#known.set(sid, this.#now())
  }

  has(sid: string): boolean {
    return this.#known.has(sid)
  }

  get isDue(): boolean {
    return Math.abs(this.#now() - this.#askedAt) >= MAX_DELAY
  }

  /**
   * Learns what ended elsewhere. While the ledger cannot be reached, what is known stands: a token
   * is good for its own short life.
   */
  async refresh(logger: Logger): Promise<void> {
    const now = this.#now()
    // Before the answer is there, so that parallel requests do not ask as well.
    this.#askedAt = now
    this.#forget(now)
    const since = Math.max(this.#learnedAt - OVERLAP, now - this.#memory)
    try {
      const asked = this.#ledger.revokedSince(Math.floor(since / 1000))
      for (const sid of await within(MAX_WAIT, asked)) this.add(sid)
      this.#learnedAt = now
    } catch (error) {
      logger.error(error as Error)
    }
  }

  #forget(now: number): void {
    for (const [sid, learned] of this.#known) {
      if (now - learned <= this.#memory) return
      this.#known.delete(sid)
    }
  }
}
