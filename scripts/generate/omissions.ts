/** What an author has yet to write. */
class OmissionError extends Error {
  readonly omissions: readonly string[]

  constructor(omissions: readonly string[]) {
    super(omissions.join('\n\n'))
    this.omissions = omissions
  }
}

/** Collects what an author has yet to write, each once, so that one run names all of it. */
export class Omissions {
  readonly #found = new Set<string>()

  add(omission: string): void {
    this.#found.add(omission)
  }

  /** The results of the steps that throw nothing. The omissions of the others are kept. */
  each<Item, Result>(items: Iterable<Item>, step: (item: Item) => Result): Result[] {
    const results: Result[] = []
    for (const item of items) {
      try {
        results.push(step(item))
      } catch (error) {
        if (error instanceof OmissionError) for (const one of error.omissions) this.add(one)
        else this.add(error instanceof Error ? error.message : String(error))
      }
    }
    return results
  }

  /** @throws {OmissionError} there are some */
  check(): void {
    if (this.#found.size > 0) throw new OmissionError([...this.#found])
  }
}

/**
 * The result of a step for each item.
 *
 * @throws {OmissionError} steps have thrown: the other ones were tried too
 */
export function each<Item, Result>(items: Iterable<Item>, step: (item: Item) => Result): Result[] {
  const omissions = new Omissions()
  const results = omissions.each(items, step)
  omissions.check()
  return results
}
