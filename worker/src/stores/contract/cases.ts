/** What a case is given. */
export interface Bench<Store> {
  /** A store of its own, in which nothing is. */
  make(): Promise<Store>
  /** When the case began. Seconds since the epoch. */
  readonly now: number
  /** Lets the store's time go by. */
  pass(seconds: number): Promise<void>
}

/** By what each one shows. */
export type Cases<Store> = Readonly<Record<string, (bench: Bench<Store>) => Promise<void>>>

/**
 * Compares plain data; members that are `undefined` count as absent.
 *
 * @throws {Error} with both, when they differ
 */
export function equal(actual: unknown, expected: unknown): void {
  const [found, wanted] = [written(actual), written(expected)]
  if (found !== wanted) throw new Error(`The store answers ${found}, and should answer ${wanted}.`)
}

/** How many times it is there. */
export function countOf<Item>(items: readonly Item[], item: Item): number {
  return items.filter((one) => one === item).length
}

function written(value: unknown): string {
  const sorted = (_key: string, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
      : part
  return JSON.stringify(value, sorted) ?? String(value)
}
