/**
 * A map that never holds more than `2 * size` entries. It keeps two generations: an entry that is
 * read or written moves to the young one; when that is full the old one is dropped whole. Reads
 * need no bookkeeping, and entries in use survive.
 */
export class BoundedCache<Value> {
  readonly #size: number
  readonly #weigh: (value: Value) => number
  #young = new Map<string, Value>()
  #old = new Map<string, Value>()
  /** The weight of the entries in the young generation. */
  #weight = 0

  /** @param weigh for how many entries a value counts, one at least */
  constructor(size: number, weigh: (value: Value) => number = () => 1) {
    // A size of NaN would never be reached.
    this.#size = Math.max(size || 1, 1)
    this.#weigh = weigh
  }

  get(key: string): Value | undefined {
    const young = this.#young.get(key)
    if (young !== undefined) return young
    const old = this.#old.get(key)
    if (old !== undefined) this.set(key, old)
    return old
  }

  /** @returns the value */
  set(key: string, value: Value): Value {
    if (this.#weight >= this.#size) {
      this.#old = this.#young
      this.#young = new Map()
      this.#weight = 0
    }
    this.#young.set(key, value)
    this.#weight += this.#weigh(value)
    return value
  }

  delete(key: string): void {
    this.#young.delete(key)
    this.#old.delete(key)
  }

  get entries(): number {
    return this.#young.size + this.#old.size
  }
}
