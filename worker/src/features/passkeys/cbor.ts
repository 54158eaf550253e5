/** The CBOR that authenticators write, and no more. */
export type CborValue =
  | number
  | string
  | boolean
  | null
  | Uint8Array<ArrayBuffer>
  | readonly CborValue[]
  | CborMap
export type CborMap = ReadonlyMap<CborValue, CborValue>

/** How deep an authenticator may nest maps and arrays (CTAP 2.1, section 8). */
const MAX_DEPTH = 4

/** From which argument on an encoding with 1, 2, 4, 8 bytes is the shortest. */
const SHORTEST = [24, 2 ** 8, 2 ** 16, 2 ** 32]

/** The simple values from 20 on. */
const SIMPLE = [false, true, null]

/**
 * Reads one item of CBOR (RFC 8949): integers that are exact in JavaScript, bytes, UTF-8 text,
 * arrays, maps with numbers and texts as keys, true, false and null. Tags, floating-point numbers,
 * indefinite lengths, heads with needless bytes, members that come twice and deep nesting are
 * refused (CTAP2 canonical CBOR encoding form); members may come in any order.
 *
 * @param from the start of the item, in bytes
 * @returns the item and its end, or `undefined`; it takes fewer steps than there are bytes
 */
export function readCbor(
  bytes: Uint8Array<ArrayBuffer>,
  from = 0,
): { readonly value: CborValue; readonly end: number } | undefined {
  let at = from

  function take(length: number): Uint8Array<ArrayBuffer> | undefined {
    if (length > bytes.length - at) return undefined
    at += length
    return bytes.slice(at - length, at)
  }

  /** The rest of an item's head beside its kind: the number, or the length. */
  function argument(info: number): number | undefined {
    if (info < 24) return info
    // 31 is an indefinite length; those between mean nothing.
    const size = info < 28 ? take(2 ** (info - 24)) : undefined
    const value = size?.reduce((sum, byte) => sum * 256 + byte, 0)
    if (value === undefined || value >= Number.MAX_SAFE_INTEGER) return undefined
    return value < (SHORTEST[info - 24] ?? 0) ? undefined : value
  }

  function item(depth: number): CborValue | undefined {
    const head = take(1)?.[0]
    if (head === undefined) return undefined
    const kind = head >> 5
    const info = head & 31
    if (kind === 7) return SIMPLE[info - 20]
    const number = argument(info)
    if (number === undefined) return undefined
    if (kind === 0) return number
    if (kind === 1) return -1 - number
    if (kind === 2) return take(number)
    if (kind === 3) return text(take(number))
    if (depth === MAX_DEPTH) return undefined
    if (kind === 4) return list(number, depth + 1)
    return kind === 5 ? map(number, depth + 1) : undefined
  }

  function list(length: number, depth: number): CborValue | undefined {
    const items: CborValue[] = []
    // Each item takes a byte or more: a wrong length ends with the bytes.
    while (items.length < length) {
      const value = item(depth)
      if (value === undefined) return undefined
      items.push(value)
    }
    return items
  }

  function map(length: number, depth: number): CborValue | undefined {
    const members = new Map<CborValue, CborValue>()
    while (members.size < length) {
      const key = item(depth)
      if (typeof key !== 'number' && typeof key !== 'string') return undefined
      const value = item(depth)
      if (value === undefined || members.has(key)) return undefined
      members.set(key, value)
    }
    return members
  }

  const value = item(0)
  return value === undefined ? undefined : { value, end: at }
}

function text(bytes: Uint8Array | undefined): string | undefined {
  try {
    // `undefined` would become an empty text.
    return bytes && new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}
