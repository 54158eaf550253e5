/** How long a device waits between two questions. Seconds (RFC 8628, 3.5). */
export const INTERVAL = 5

/** The most devices whose questions a process remembers. */
const MOST = 10_000

/**
 * When devices have asked last, and how long each has to wait. In this process alone, since a question must cost no row: a device that
 * asks too often is slowed down wherever it asks.
 */
export class Intervals {
  readonly #asked = new Map<string, { readonly at: number; readonly interval: number }>()

  /**
   * Is a question too early? Then the device has to wait five seconds longer from now on.
   *
   * @param now seconds since the epoch
   */
  isTooEarly(home: string, now: number): boolean {
    const { at, interval } = this.#asked.get(home) ?? {
      at: Number.NEGATIVE_INFINITY,
      interval: INTERVAL,
    }
    // Times are whole seconds, so one of five may look like four.
    const isEarly = now - at < interval - 1
    this.#asked.delete(home)
    this.#asked.set(home, { at: now, interval: isEarly ? interval + INTERVAL : interval })
    const [oldest] = this.#asked.keys()
    if (this.#asked.size > MOST && oldest !== undefined) this.#asked.delete(oldest)
    return isEarly
  }

  forget(home: string): void {
    this.#asked.delete(home)
  }
}
