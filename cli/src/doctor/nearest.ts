/** How many letters have to be changed, added, removed or swapped with their neighbor (optimal string alignment). */
function distance(one: string, other: string): number {
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

/** The longest name that is compared: each comparison costs the product of two lengths. */
const MAX_LENGTH = 100

/**
 * The name that was probably meant.
 *
 * @param most how many letters may differ. Default: a third of them
 * @returns `undefined`: none is near
 * @example nearest('AUTH_TRUST_HOSTS', ['AUTH_TRUST_HOST']) // 'AUTH_TRUST_HOST'
 */
export function nearest(
  name: string,
  names: Iterable<string>,
  most = Math.floor(name.length / 3),
): string | undefined {
  if (name.length > MAX_LENGTH) return undefined
  let found: string | undefined
  let least = most + 1
  for (const one of names) {
    const far = distance(name, one)
    if (far >= least) continue
    least = far
    found = one
  }
  return found
}
