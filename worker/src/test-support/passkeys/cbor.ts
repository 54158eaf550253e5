/** An item of CBOR as a test writes it: maps as pairs, so that a member can come twice. */
export type Item =
  | number
  | string
  | boolean
  | null
  | Uint8Array
  | readonly Item[]
  | { readonly map: readonly (readonly [Item, Item])[] }
  | { readonly raw: readonly number[] }

/** Bytes that stand where an item should. */
export function raw(...bytes: number[]): Item {
  return { raw: bytes }
}

export function map(...members: (readonly [Item, Item])[]) {
  return { map: members }
}

export function encode(item: Item): number[] {
  if (typeof item === 'number') return item < 0 ? head(1, -1 - item) : head(0, item)
  if (typeof item === 'string') return withHead(3, new TextEncoder().encode(item))
  if (typeof item === 'boolean') return [item ? 0xf5 : 0xf4]
  if (item === null) return [0xf6]
  if (item instanceof Uint8Array) return withHead(2, item)
  if (isList(item)) return [...head(4, item.length), ...item.flatMap(encode)]
  if ('raw' in item) return [...item.raw]
  return [...head(5, item.map.length), ...item.map.flatMap((pair) => pair.flatMap(encode))]
}

function isList(item: Item): item is readonly Item[] {
  return Array.isArray(item)
}

function withHead(kind: number, bytes: Uint8Array): number[] {
  return [...head(kind, bytes.length), ...bytes]
}

/** @param size how many bytes the argument takes; by default as few as it needs */
export function head(kind: number, argument: number, size = sizeOf(argument)): number[] {
  if (size === 0) return [(kind << 5) | argument]
  const bytes = Array.from({ length: size }, (_, at) =>
    Number((BigInt(argument) >> BigInt(8 * (size - 1 - at))) & 255n),
  )
  return [(kind << 5) | (24 + Math.log2(size)), ...bytes]
}

function sizeOf(argument: number): number {
  if (argument < 24) return 0
  if (argument < 2 ** 8) return 1
  if (argument < 2 ** 16) return 2
  return argument < 2 ** 32 ? 4 : 8
}
