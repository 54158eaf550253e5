/** The number of entries that each write checks. */
const SWEPT = 8

/**
 * A map that drops entries that are over. Each write checks a few entries, and the next write those
 * that follow: no call waits for a full sweep, and every entry is checked in turn.
 */
export class SweptMap<Row extends { readonly expires: number }> extends Map<string, Row> {
  readonly #now: () => number
  #turn = this.entries()

  /** @param now seconds since the epoch */
  constructor(now: () => number) {
    super()
    this.#now = now
  }

  override set(key: string, row: Row): this {
    this.#sweep()
    return super.set(key, row)
  }

  #sweep(): void {
    const now = this.#now()
    for (let looked = 0; looked < SWEPT; looked++) {
      const { value, done } = this.#turn.next()
      if (done) {
        this.#turn = this.entries()
        return
      }
      const [key, { expires }] = value
      if (expires <= now) this.delete(key)
    }
  }
}
