/** The number of entries that each write checks. */
const SWEPT = 8
/** The time after which all entries are checked. Seconds. */
const TIDY = 60

/** The room that a map has. */
export interface Room<Row> {
  /** The most entries. */
  readonly most: number
  /**
   * The entry that a full map drops: the one that was written longest ago, or among a few the one of the
   * least worth. Absent: it drops none, and the write of a further entry fails.
   */
  readonly forgets?: 'oldest' | ((row: Row) => number)
}

/**
 * A map that drops entries that are over (those without an end never are), and has a limit. Each
 * write checks a few entries, and the next write those that follow, so that a flood leaves as
 * little behind as possible.
 */
export class SweptMap<Row extends { readonly expires: number | null }> extends Map<string, Row> {
  readonly #now: () => number
  readonly #room: Room<Row>
  #turn = this.entries()
  #tidied: number

  /** @param now seconds since the epoch */
  constructor(now: () => number, room: Room<Row> = { most: Number.POSITIVE_INFINITY }) {
    super()
    this.#now = now
    this.#room = room
    this.#tidied = now()
  }

  /** @throws {RangeError} when there is no room, and no entry may go */
  override set(key: string, row: Row): this {
    const least = this.#sweep()
    const { most, forgets } = this.#room
    // An entry that is written again moves to the end.
    if (forgets === 'oldest') this.delete(key)
    if (this.size >= most && !this.has(key)) {
      const first = forgets === 'oldest' ? this.keys().next().value : least
      if (first === undefined) throw new RangeError('The memory store has no room for another row.')
      this.delete(first)
    }
    return super.set(key, row)
  }

  /** Drops all entries that are over, once a minute: without writes they would stay. */
  tidy(): void {
    const now = this.#now()
    if (Math.abs(now - this.#tidied) < TIDY) return
    this.#tidied = now
    for (const [key, row] of this) if (isOver(row, now)) this.delete(key)
    // An iterator keeps what has been deleted since it was last used.
    this.#turn = this.entries()
  }

  /** @returns the key of the checked entry that may go first */
  #sweep(): string | undefined {
    const now = this.#now()
    const { forgets } = this.#room
    const worth = typeof forgets === 'function' ? forgets : undefined
    let least: { readonly key: string; readonly worth: number } | undefined
    for (let looked = 0; looked < SWEPT; looked++) {
      const { value, done } = this.#turn.next()
      if (done) {
        this.#turn = this.entries()
        continue
      }
      const [key, row] = value
      if (isOver(row, now)) this.delete(key)
      else if (worth && (!least || worth(row) < least.worth)) least = { key, worth: worth(row) }
    }
    return least?.key
  }
}

function isOver({ expires }: { readonly expires: number | null }, now: number): boolean {
  return expires !== null && expires <= now
}
