import {
  type RevocationFeed,
  RevocationList,
  type SessionClaims,
  type UserCutoff,
} from '@latchkey/session'
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
  readonly #list: RevocationList
  readonly #ledger: Ledger
  readonly #now: () => number
  /** How long a token lives, in seconds: older endings need not be known. */
  readonly window: number
  #askedAt = Number.NEGATIVE_INFINITY
  #learnedAt = Number.NEGATIVE_INFINITY

  constructor(ledger: Ledger, tokenMaxAge: number, now: () => number) {
    this.#ledger = ledger
    this.window = tokenMaxAge
    this.#now = now
    this.#list = new RevocationList(now)
  }

  add(sid: string): void {
    const at = Math.floor(this.#now() / 1000)
    this.#list.add({ sessions: [{ sid, at }], users: [] }, this.window)
  }

  has(claims: Pick<SessionClaims, 'sid' | 'sub' | 'auth_time'>): boolean {
    return this.#list.has(claims)
  }

  cutOff(cutoff: UserCutoff): void {
    this.#list.add({ sessions: [], users: [cutoff] }, this.window)
  }

  /** Was the ledger reached at all? */
  get hasLearned(): boolean {
    return this.#learnedAt > 0
  }

  get isDue(): boolean {
    return Math.abs(this.#now() - this.#askedAt) >= MAX_DELAY
  }

  /**
   * What ended at a time or later, and the time up to which that is all.
   *
   * @param time seconds since the epoch
   */
  since(time: number): Pick<RevocationFeed, 'sids' | 'users' | 'next'> {
    const next = Math.max(0, Math.floor(this.#learnedAt / 1000))
    return { ...this.#list.since(time), next }
  }

  /**
   * Learns what ended elsewhere. While the ledger cannot be reached, what is known stands: a token
   * is good for its own short life.
   */
  async refresh(logger: Logger): Promise<void> {
    const now = this.#now()
    // Before the answer is there, so that parallel requests do not ask as well.
    this.#askedAt = now
    const since = Math.max(this.#learnedAt - OVERLAP, now - (this.window + 60) * 1000)
    try {
      const asked = this.#ledger.revokedSince(Math.floor(since / 1000))
      this.#list.add(await within(MAX_WAIT, asked), this.window)
      this.#learnedAt = now
    } catch (error) {
      logger.error(error as Error)
    }
  }
}
