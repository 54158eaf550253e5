/** So many entries are looked at on each write. */
const SWEPT = 8

/**
 * A map that forgets what is over. Each write looks at a few entries, and the next one at those that
 * follow: nobody waits for a sweep, and it comes to every entry, wherever that stands.
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
