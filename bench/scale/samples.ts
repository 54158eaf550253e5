/** Measured values, and their statistics. */
export class Samples {
  readonly #values: number[] = []
  #isSorted = true

  add(value: number): void {
    this.#values.push(value)
    this.#isSorted = false
  }

  addAll(other: Samples): void {
    for (const value of other.#values) this.add(value)
  }

  clear(): void {
    this.#values.length = 0
  }

  copy(): Samples {
    const copy = new Samples()
    copy.addAll(this)
    return copy
  }

  above(limit: number): Samples {
    const some = new Samples()
    for (const value of this.#values) if (value > limit) some.add(value)
    return some
  }

  get count(): number {
    return this.#values.length
  }

  get mean(): number {
    return this.count === 0 ? 0 : this.#values.reduce((sum, value) => sum + value, 0) / this.count
  }

  /** @param part 0 to 1; 1 is the largest of all */
  quantile(part: number): number {
    if (!this.#isSorted) this.#values.sort((one, other) => one - other)
    this.#isSorted = true
    return this.#values[Math.min(this.count - 1, Math.floor(part * this.count))] ?? 0
  }
}

/** Counts of something, for each second. */
export class PerSecond {
  total = 0
  readonly #counts = new Map<number, number>()
  readonly #now: () => number

  /** @param now milliseconds */
  constructor(now: () => number) {
    this.#now = now
  }

  add(count = 1): void {
    this.total += count
    const second = Math.floor(this.#now() / 1000)
    this.#counts.set(second, (this.#counts.get(second) ?? 0) + count)
  }

  /** One sample for each second from a time on. @param from milliseconds */
  since(from: number): Samples {
    const samples = new Samples()
    const end = Math.floor(this.#now() / 1000)
    for (let at = Math.ceil(from / 1000); at < end; at++) samples.add(this.#counts.get(at) ?? 0)
    return samples
  }
}
