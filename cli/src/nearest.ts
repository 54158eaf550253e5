/** The longest text that is compared: each comparison costs the product of two lengths. */
const MAX_LENGTH = 100

interface Comparison {
  /** The distance up to which a name is near. Default: a third of the letters. */
  readonly most?: number
  /** Default: {@link distance}. */
  readonly distanceOf?: (name: string, other: string) => number
}

/**
 * The names that were probably meant, the nearest first.
 *
 * @returns an empty list if no word is near
 * @example nearest('AUTH_TRUST_HOSTS', ['AUTH_TRUST_HOST']) // ['AUTH_TRUST_HOST']
 */
export function nearest(
  name: string,
  names: Iterable<string>,
  { most = Math.floor(name.length / 3), distanceOf = distance }: Comparison = {},
): string[] {
  if (name === '' || name.length > MAX_LENGTH) return []
  return [...names]
    .map((one) => ({ one, far: distanceOf(name, one) }))
    .filter(({ far }) => far <= most)
    .sort((left, right) => left.far - right.far)
    .map(({ one }) => one)
}

/** How many letters have to be changed, added, removed or swapped with their neighbor (optimal string alignment). */
export function distance(one: string, other: string): number {
  let before: number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let row = 1; row <= one.length; row++) {
    const next = [row]
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1]
      const costs = [
        (last[column] ?? 0) + 1,
        (next[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
      ]
      if (one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]) {
        costs.push((before[column - 2] ?? Number.POSITIVE_INFINITY) + 1)
      }
      next.push(Math.min(...costs))
    }
    before = last
    last = next
  }
  return last[other.length] ?? one.length
}
