/** Clocks that differ by less are taken for one: a slow answer tells an earlier time. Milliseconds. */
const TOLERANCE = 10_000

/**
 * The time for the log, which all processes share: if the clock of this one differs from that of the store, the store's counts. By a
 * clock that is days ahead, a process would delete records that are young, or write some that keep others from being deleted.
 */
export class StoreClock {
  readonly #own: () => number
  #ahead = 0

  /** @param own the clock of the process: milliseconds since the epoch */
  constructor(own: () => number) {
    this.#own = own
  }

  readonly now = (): number => this.#own() - this.#ahead

  /** @param now what the clock of the store says, in the same way */
  tell(now: number): void {
    if (Math.abs(this.now() - now) > TOLERANCE) this.#ahead = this.#own() - Math.floor(now)
  }
}
