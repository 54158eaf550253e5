/** More need not be known: the provider takes no code twice, and the ledger lets nobody in twice. */
const MOST = 10_000

/** The flows that were brought back to this process, so that a second answer to one costs its provider nothing. */
export class UsedFlows {
  /** When each could not be used any more anyway, the first one first. Seconds since the epoch. */
  readonly #ends = new Map<string, number>()

  /**
   * @param now seconds since the epoch, as `ends`
   * @returns `false`: it was used before
   */
  use(id: string, now: number, ends: number): boolean {
    if (this.#ends.has(id)) return false
    for (const [other, end] of this.#ends) {
      if (end > now && this.#ends.size < MOST) break
      this.#ends.delete(other)
    }
    this.#ends.set(id, ends)
    return true
  }
}
