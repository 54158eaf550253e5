/** Counters of a row. Eight bytes of a digest choose one in each row. */
const WIDTH = 8_192
const ROWS = 4
/** Seconds. */
const PERIOD = 60

/** An attempt, counted or refused. */
export interface Counted {
  /** Seconds to wait; 0: it was counted. */
  readonly wait: number
  /** To be called when the attempt should not have counted. */
  readonly takeBack: () => void
}

/**
 * Counts attempts by network within one process, in periods of a minute, if no binding of the
 * platform does.
 *
 * It has 128 kB for any number of networks, from the first attempt on (a count-min sketch): a name
 * has one counter in each of four rows, and its count is the least of them. So an attacker with
 * many networks cannot make it forget a count, as a list with a limit would. A counter that several
 * names share may only count too much: that takes some 200,000 attempts in a minute, and a random
 * salt keeps an attacker from choosing the victim.
 */
export class ProcessCounter {
  readonly #salt = crypto.randomUUID()
  #counts: Uint32Array | undefined
  /** When the period ends. Seconds since the epoch. */
  #ends = 0

  /**
   * Counts an attempt, unless there were `max` in this period already.
   *
   * @param now seconds since the epoch
   */
  async admit(name: string, max: number, now: number): Promise<Counted> {
    const cells = await this.#cellsOf(name)
    const counts = this.#countsAt(now)
    const ends = this.#ends
    if (cells.every((cell) => (counts[cell] ?? 0) >= max)) {
      return { wait: ends - now, takeBack: () => {} }
    }
    for (const cell of cells) counts[cell] = (counts[cell] ?? 0) + 1
    const takeBack = () => {
      if (this.#ends !== ends) return
      for (const cell of cells) counts[cell] = Math.max(0, (counts[cell] ?? 0) - 1)
    }
    return { wait: 0, takeBack }
  }

  /** Lets a name wait until the period is over. */
  async close(name: string, now: number): Promise<void> {
    const cells = await this.#cellsOf(name)
    const counts = this.#countsAt(now)
    for (const cell of cells) counts[cell] = CLOSED
  }

  #countsAt(now: number): Uint32Array {
    this.#counts ??= new Uint32Array(ROWS * WIDTH)
    // A clock that was set back begins a new period too.
    if (now < this.#ends && this.#ends <= now + PERIOD) return this.#counts
    this.#ends = now + PERIOD
    return this.#counts.fill(0)
  }

  async #cellsOf(name: string): Promise<readonly number[]> {
    const text = new TextEncoder().encode(this.#salt + name)
    const chosen = new Uint16Array(await crypto.subtle.digest('SHA-256', text), 0, ROWS)
    return [...chosen].map((column, row) => row * WIDTH + (column % WIDTH))
  }
}

/** Above any limit, and far from where a counter would begin again. */
const CLOSED = 2 ** 31
