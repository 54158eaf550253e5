import { elapsed, everySoOften, within } from '../internal/deadline.js'

/** What goes on after a request's answer: a Worker's `ctx.waitUntil`. */
export type WaitUntil = (work: Promise<unknown>) => void

/** Times are milliseconds. */
interface RefresherOptions {
  readonly now: () => number
  /** Looks, and says after what time to look again. Never rejects. */
  readonly look: () => Promise<number>
  /** What was looked up longer ago is too old to be used without waiting. */
  readonly limit: number
  /** A look that has not ended by then never will: the request that began it was broken off. */
  readonly patience: number
  /** Look also between the requests, this often, where that can be done. */
  readonly interval?: number
}

/** A timer ends when nothing was asked for this long. */
const IDLE = 5 * 60 * 1000

/**
 * Looks something up again and again beside the requests. A request waits only where nobody has looked
 * for too long: at the first request, and after a pause in which no timer ran. A look that fails was a
 * look: an outage makes no request wait.
 */
export class Refresher {
  readonly #options: RefresherOptions
  #underWay: Promise<void> | undefined
  #askedAt = Number.NEGATIVE_INFINITY
  /** When the last look began that has come to an end. */
  #settledAt = Number.NEGATIVE_INFINITY
  #wait = 0
  #usedAt = Number.NEGATIVE_INFINITY
  #stopTimer: (() => void) | undefined
  #tickedAt = Number.NEGATIVE_INFINITY
  #isTended = false
  #isClosed = false

  constructor(options: RefresherOptions) {
    this.#options = options
  }

  /** Is there nothing to do? Asked by every request. */
  isCalm(now: number): boolean {
    this.#usedAt = now
    const age = now - this.#askedAt
    return age >= 0 && age < this.#wait && now - this.#settledAt < this.#options.limit
  }

  /**
   * Starts a look where one is due. Returns what the request has to wait for, if anything.
   *
   * @param isNeeded it can do nothing without
   */
  catchUp(
    now: number,
    maxWait: number,
    waitUntil?: WaitUntil,
    isNeeded = false,
  ): Promise<unknown> | undefined {
    if (!isNeeded && this.isCalm(now)) return undefined
    this.#startTimer()
    const isDue = elapsed(this.#askedAt, now) >= this.#wait
    if (isDue) this.#start(now, waitUntil)
    const isTooOld = elapsed(this.#settledAt, now) >= this.#options.limit && !this.#hasTimer(now)
    if (!this.#underWay || !(isNeeded || isTooOld)) return undefined
    return within(isDue ? maxWait : Math.min(maxWait, this.#options.patience), this.#underWay)
  }

  /** Looks now, unless that was done a short while ago: then it waits for that look, if it goes on. */
  async lookNow(now: number, coolDown: number, waitUntil?: WaitUntil): Promise<void> {
    if (elapsed(this.#askedAt, now) >= coolDown) this.#start(now, waitUntil)
    if (this.#underWay) await within(this.#options.patience, this.#underWay)
  }

  close(): void {
    this.#isClosed = true
    this.#endTimer()
  }

  #start(now: number, waitUntil?: WaitUntil): void {
    const { look, patience } = this.#options
    // Before the answer is there, so that parallel requests do not ask as well.
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

  /** Does a timer look, as often as it should? A process may have slept. */
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
      // A verifier that is not in use costs nobody anything, and can be forgotten.
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
