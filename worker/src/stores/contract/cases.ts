/** The arguments of a case. */
export interface Bench<Store> {
  /** A new, empty store. */
  make(): Promise<Store>
  /** When the case began. Seconds since the epoch. */
  readonly now: number
  /** Moves the store's clock on. */
  pass(seconds: number): Promise<void>
}

/** Cases, by the promise that each one shows. */
export type Cases<Store> = Readonly<Record<string, (bench: Bench<Store>) => Promise<void>>>

/**
 * Compares plain data; members that are `undefined` count as absent.
 *
 * @throws {Error} with both, when they differ
 */
export function equal(actual: unknown, expected: unknown): void {
  const [result, wanted] = [written(actual), written(expected)]
  if (result !== wanted)
    throw new Error(`The store answers ${result}, and should answer ${wanted}.`)
}

/** How often the value occurs. */
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
