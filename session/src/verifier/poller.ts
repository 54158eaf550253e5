import { elapsed, everySoOften, within } from '../lib/deadline.js'

/** Keeps work alive after a request's answer: a Worker's `ctx.waitUntil`. */
export type WaitUntil = (work: Promise<unknown>) => void

/** Times are milliseconds. */
interface PollerOptions {
  readonly now: () => number
  /** Fetches, and resolves to the time until the next fetch. Never rejects. */
  readonly look: () => Promise<number>
  /** A value that was fetched longer ago is too old to be used without waiting. */
  readonly limit: number
  /** A fetch that has not ended by then never will: the request that began it was aborted. */
  readonly patience: number
  /** The interval of fetches between requests, on platforms with timers. */
  readonly interval?: number
}

/** A timer ends after this time without requests. */
const IDLE = 5 * 60 * 1000

/**
 * Fetches something regularly beside the requests. A request waits only if the last fetch is too
 * old: at the first request, and after a pause in which no timer ran. A fetch that fails counts as
 * a fetch: an outage makes no request wait.
 */
export class Poller {
  readonly #options: PollerOptions
  #underWay: Promise<void> | undefined
  #askedAt = Number.NEGATIVE_INFINITY
  /** When the last finished fetch began. */
  #settledAt = Number.NEGATIVE_INFINITY
  #wait = 0
  #usedAt = Number.NEGATIVE_INFINITY
  #stopTimer: (() => void) | undefined
  #tickedAt = Number.NEGATIVE_INFINITY
  #isTended = false
  #isClosed = false

  constructor(options: PollerOptions) {
    this.#options = options
  }

  /** True while no fetch is due. Every request checks this. */
  isCurrent(now: number): boolean {
    this.#usedAt = now
    const age = now - this.#askedAt
    return age >= 0 && age < this.#wait && now - this.#settledAt < this.#options.limit
  }

  /**
   * Starts a fetch if one is due. Returns a promise that the request has to wait for, if any.
   *
   * @param isNeeded the request cannot be answered without the value
   */
  refreshIfDue(
    now: number,
    maxWait: number,
    waitUntil?: WaitUntil,
    isNeeded = false,
  ): Promise<unknown> | undefined {
    if (!isNeeded && this.isCurrent(now)) return undefined
    this.#startTimer()
    const isDue = elapsed(this.#askedAt, now) >= this.#wait
    if (isDue) this.#start(now, waitUntil)
    const isTooOld = elapsed(this.#settledAt, now) >= this.#options.limit && !this.#hasTimer(now)
    if (!this.#underWay || !(isNeeded || isTooOld)) return undefined
    const limit = isDue ? maxWait : Math.min(maxWait, this.#options.patience)
    return this.#waitFor(this.#underWay, limit, waitUntil)
  }

  /**
   * Fetches now, unless the last fetch was a short while ago: then it waits for that one, if it
   * still runs.
   */
  async lookNow(now: number, coolDown: number, waitUntil?: WaitUntil): Promise<void> {
    if (elapsed(this.#askedAt, now) >= coolDown) this.#start(now, waitUntil)
    if (this.#underWay) await this.#waitFor(this.#underWay, this.#options.patience, waitUntil)
  }

  /**
   * Waits for a fetch. None rejects by itself: a Worker throws if it belongs to a request that has ended, and its
   * fetch with it. Then this request fetches.
   */
  async #waitFor(work: Promise<void>, limit: number, waitUntil?: WaitUntil): Promise<void> {
    try {
      await within(limit, work)
    } catch {
      if (this.#underWay === work) this.#start(this.#options.now(), waitUntil)
      if (this.#underWay) await within(limit, this.#underWay).catch(() => {})
    }
  }

  close(): void {
    this.#isClosed = true
    this.#endTimer()
  }

  #start(now: number, waitUntil?: WaitUntil): void {
    const { look, patience } = this.#options
    // Set before the answer arrives, so that parallel requests do not fetch as well.
    this.#askedAt = now
    this.#wait = patience
    const work = look().then((wait) => {
      if (this.#underWay !== work) return
      this.#underWay = undefined
      this.#settledAt = now
      this.#wait = wait
    })
    this.#underWay = work
    waitUntil?.(work)
  }

  /** Does a timer fetch, as often as it should? A process may have slept. */
  #hasTimer(now: number): boolean {
    return this.#isTended && elapsed(this.#tickedAt, now) < this.#options.limit
  }

  #startTimer(): void {
    const { interval } = this.#options
    if (interval === undefined || this.#isClosed || this.#stopTimer) return
    this.#stopTimer = everySoOften(() => this.#tick(interval), interval)
  }

  #tick(interval: number): void {
    const now = this.#options.now()
    if (elapsed(this.#usedAt, now) >= IDLE) {
      // An unused verifier has no timer, so it costs nothing and can be collected.
      this.#endTimer()
      return
    }
    this.#isTended = elapsed(this.#tickedAt, now) < this.#options.limit
    this.#tickedAt = now
    const leastAge = this.#underWay ? this.#options.patience : interval / 2
    if (elapsed(this.#askedAt, now) >= leastAge) this.#start(now)
  }

  #endTimer(): void {
    this.#stopTimer?.()
    this.#stopTimer = undefined
    this.#isTended = false
    this.#tickedAt = Number.NEGATIVE_INFINITY
  }
}
