/** A value that an authenticator writes as CBOR. */
export type CborInput = number | string | Uint8Array | ReadonlyMap<number | string, CborInput>

/** In the order that the members have, with the shortest lengths (RFC 8949, section 3). */
export function encodeCbor(value: CborInput): number[] {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') {
    const text = new TextEncoder().encode(value)
    return [...head(3, text.length), ...text]
  }
  if (value instanceof Uint8Array) return [...head(2, value.length), ...value]
  const members = [...value].flatMap((member) => member.flatMap(encodeCbor))
  return [...head(5, value.size), ...members]
}

/** @param argument below 65,536 */
function head(kind: number, argument: number): number[] {
  const first = kind << 5
  if (argument < 24) return [first | argument]
  if (argument < 256) return [first | 24, argument]
  return [first | 25, argument >> 8, argument & 255]
}
