/**
 * A QR code (ISO/IEC 18004) of error correction level M in byte mode, of version 1 to 15. It always
 * has the first of the eight masks, because readers undo any.
 */
export interface QrCode {
  /** Modules on a side. */
  readonly size: number
  /** The dark modules as the data of an SVG path, one unit each. */
  readonly path: string
}

/** Level M of L, M, Q, H: 15 % of it may be unreadable. By version, from 1 on. */
const CHECKS_OF_BLOCK = [10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24]
const BLOCKS = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10]
/** Level M and mask 0, with their error correction (7.9). */
const FORMAT = 0x5412
/** From this version on the length has two bytes (7.4.1), and the code names its version (7.10). */
const [LONG, NAMED] = [10, 7]

/** @throws {RangeError} above 412 bytes of UTF-8 */
export function qrCode(text: string): QrCode {
  const bytes = new TextEncoder().encode(text)
  for (let version = 1; version <= BLOCKS.length; version++) {
    const room = roomOf(version) - checksOf(version)
    // Mode, length and the first half of the next byte share a byte.
    if (bytes.length + (version < LONG ? 2 : 3) > room) continue
    return draw(version, interleaved(version, dataOf(version, bytes, room)))
  }
  throw new RangeError('The text is too long for a QR code.')
}

/**
 * The number of codewords of a version: the modules that its function patterns leave free (7.1).
 */
function roomOf(version: number): number {
  const modules = (16 * version + 128) * version + 64
  const side = alignmentsOf(version).length
  const aligned = side === 0 ? 0 : (25 * side - 10) * side - 55
  return (modules - aligned - (version < NAMED ? 0 : 36)) >> 3
}

function checksOf(version: number): number {
  return (CHECKS_OF_BLOCK[version - 1] ?? 0) * (BLOCKS[version - 1] ?? 0)
}

/** The centers of alignment patterns, in both directions (annex E). */
function alignmentsOf(version: number): readonly number[] {
  if (version === 1) return []
  const count = Math.floor(version / 7) + 2
  const step = 2 * Math.ceil((2 * version + 2) / (count - 1))
  const last = version * 4 + 10
  return Array.from({ length: count }, (_, at) => (at === 0 ? 6 : last - step * (count - 1 - at)))
}

/** Mode, length and bytes, then padding (7.4). */
function dataOf(version: number, bytes: Uint8Array, room: number): readonly number[] {
  const length = bytes.length
  const head = version < LONG ? [length] : [length >> 8, length & 255]
  const data: number[] = []
  // The mode has four bits, so each byte lies across two.
  let held = 4
  for (const byte of [...head, ...bytes, 0]) {
    data.push(((held << 4) | (byte >> 4)) & 255)
    held = byte & 15
  }
  for (let pad = 0xec; data.length < room; pad ^= 0xec ^ 0x11) data.push(pad)
  return data
}

/** The data in blocks, each with its checks, one codeword of each block after the other (7.6). */
function interleaved(version: number, data: readonly number[]): readonly number[] {
  const count = BLOCKS[version - 1] ?? 1
  const divisor = divisorOf(CHECKS_OF_BLOCK[version - 1] ?? 0)
  // The last blocks are longer by one.
  const short = Math.floor(data.length / count)
  const shorter = count - (data.length % count)
  const blocks = Array.from({ length: count }, (_, at) => {
    const from = at * short + Math.max(0, at - shorter)
    return data.slice(from, from + short + (at < shorter ? 0 : 1))
  })
  const checks = blocks.map((block) => remainderOf(block, divisor))
  return [...columnsOf(blocks), ...columnsOf(checks)]
}

function columnsOf(rows: readonly (readonly number[])[]): readonly number[] {
  const longest = rows.at(-1)?.length ?? 0
  return Array.from({ length: longest }, (_, at) => rows.flatMap((row) => row[at] ?? [])).flat()
}

/** The polynomial of Reed-Solomon's code (7.5.2 and annex A), without its leading 1. */
function divisorOf(degree: number): readonly number[] {
  let factors = [...Array<number>(degree - 1).fill(0), 1]
  let root = 1
  for (let at = 0; at < degree; at++) {
    const by = root
    factors = factors.map((factor, place) => times(factor, by) ^ (factors[place + 1] ?? 0))
    root = times(root, 2)
  }
  return factors
}

function remainderOf(data: readonly number[], divisor: readonly number[]): readonly number[] {
  let rest = divisor.map(() => 0)
  for (const byte of data) {
    const factor = byte ^ (rest[0] ?? 0)
    rest = divisor.map((one, at) => (rest[at + 1] ?? 0) ^ times(one, factor))
  }
  return rest
}

/** In the field of 256 elements by the polynomial 0x11d. */
function times(one: number, other: number): number {
  let product = 0
  for (let bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ ((product >> 7) * 0x11d)
    product ^= ((other >> bit) & 1) * one
  }
  return product
}

function draw(version: number, codewords: readonly number[]): QrCode {
  const size = version * 4 + 17
  const dark = new Uint8Array(size * size)
  const isTaken = new Uint8Array(size * size)
  const set = (x: number, y: number, value: unknown) => {
    if (x < 0 || y < 0 || x >= size || y >= size) return
    dark[y * size + x] = value ? 1 : 0
    isTaken[y * size + x] = 1
  }
  /** Squares around a center, one of which is light. */
  const rings = (x: number, y: number, radius: number, light: number) => {
    for (let dy = -radius; dy <= radius; dy++) {
      for (let dx = -radius; dx <= radius; dx++) {
        const ring = Math.max(Math.abs(dx), Math.abs(dy))
        set(x + dx, y + dy, ring !== light && ring !== 4)
      }
    }
  }
  for (let at = 0; at < size; at++) {
    set(6, at, at % 2 === 0)
    set(at, 6, at % 2 === 0)
  }
  const [near, far] = [3, size - 4] as const
  rings(near, near, 4, 2)
  rings(far, near, 4, 2)
  rings(near, far, 4, 2)
  const centres = alignmentsOf(version)
  for (const x of centres) {
    for (const y of centres) {
      const isFinder = (x === 6 && (y === 6 || y > far - 4)) || (y === 6 && x > far - 4)
      if (!isFinder) rings(x, y, 2, 1)
    }
  }
  for (let bit = 0; bit < 15; bit++) {
    const value = (FORMAT >> bit) & 1
    // Around the first finder pattern, past the timing patterns, and once more beside the other two.
    set(8, bit < 6 ? bit : bit < 8 ? bit + 1 : size - 15 + bit, value)
    set(bit < 8 ? size - 1 - bit : bit < 9 ? 7 : 14 - bit, 8, value)
  }
  set(8, size - 8, true)
  if (version >= NAMED) {
    let rest = version
    for (let bit = 0; bit < 12; bit++) rest = (rest << 1) ^ ((rest >> 11) * 0x1f25)
    for (let bit = 0; bit < 18; bit++) {
      const value = (((version << 12) | rest) >> bit) & 1
      const [along, across] = [Math.floor(bit / 3), size - 11 + (bit % 3)]
      set(along, across, value)
      set(across, along, value)
    }
  }
  let bit = 0
  // Two columns at a time from the right, up and down in turns, past the timing pattern (7.7.3).
  for (let right = size - 1; right > 0; right -= right === 8 ? 3 : 2) {
    const isUp = ((right + 1) & 2) === 0
    for (let row = 0; row < size; row++) {
      const y = isUp ? size - 1 - row : row
      for (const x of [right, right - 1]) {
        if (isTaken[y * size + x]) continue
        const value = ((codewords[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1
        dark[y * size + x] = value ^ ((x + y) % 2 === 0 ? 1 : 0)
        bit++
      }
    }
  }
  return { size, path: pathOf(dark, size) }
}

function pathOf(dark: Uint8Array, size: number): string {
  let path = ''
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const from = x
      while (x < size && dark[y * size + x]) x++
      if (x > from) path += `M${from} ${y}h${x - from}v1h-${x - from}z`
    }
  }
  return path
}
