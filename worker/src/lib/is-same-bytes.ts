/** Are both the same? Takes the same time wherever they differ, so that a guesser learns nothing from it. */
export function isSameBytes(one: Uint8Array, other: Uint8Array): boolean {
  let difference = one.length ^ other.length
  for (const [at, byte] of one.entries()) difference |= byte ^ (other[at] ?? 0)
  return difference === 0
}
