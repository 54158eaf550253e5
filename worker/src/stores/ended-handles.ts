import { NAME_LENGTH } from '@latchkey/session/internal'

/** Stands between two handles of a line, and in none. */
export const BETWEEN = ','
const COMMA = BETWEEN.charCodeAt(0)

/** So many handles that begin alike have a place, or each search among them would be of all. */
const MAX_ALIKE = 16
/** 36 bits of an id of ours. */
const HASHED = 6
const FIRST_SIZE = 16
const LARGE = 2 ** 16
/** There is room for so many lines as this power of two. More make the bits of an offset fewer. */
const FIRST_LINE_BITS = 9

/**
 * Lines of handles, and a table of where in them each handle is: five bytes for each of its places,
 * so that a million are a few values for the garbage collector. They are found by their first characters,
 * by which apps ask as well, and then compared as a whole.
 */
export class EndedHandles {
  /** Handles with a comma between two. `undefined`: the number may be given again. */
  readonly #lines: (string | undefined)[] = []
  readonly #free: number[] = []
  #lineBits = FIRST_LINE_BITS
  /** 0: the place is free. Otherwise bits of the hash, which spare most looks at a line. */
  #marks = new Uint8Array(FIRST_SIZE)
  /** The number of the line, and the offset in it. */
  #places = new Uint32Array(FIRST_SIZE)
  #taken = 0
  /** Handles without a place, as too many begin alike or their line is too long, and their lines. */
  readonly #crowded = new Map<string, Set<number>>()

  /** A new line, by its number. */
  open(): number {
    const number = this.#free.pop() ?? this.#lines.length
    this.#lines[number] = ''
    if (number >= 2 ** this.#lineBits) {
      this.#lineBits++
      this.#rebuild(this.#marks.length)
    }
    return number
  }

  line(number: number): string {
    return this.#lines[number] ?? ''
  }

  /** Adds to a line what is not in it. */
  add(number: number, sids: readonly string[]): void {
    const fresh = sids.filter((sid) => sid !== '' && !this.has(sid, number))
    if (fresh.length === 0) return
    let size = this.#marks.length
    while (this.#taken + fresh.length > roomIn(size)) size *= 2
    if (size > this.#marks.length) this.#rebuild(size)
    const known = this.line(number)
    const begun = known === '' ? '' : known + BETWEEN
    this.#lines[number] = begun + fresh.join(BETWEEN)
    for (const offset of this.#offsets(number, begun.length)) this.#place(number, offset)
  }

  /** Is this handle in a line? @param number of the only line that counts */
  has(sid: string, number?: number): boolean {
    const hash = hashOf(sid)
    const mark = markOf(hash)
    const marks = this.#marks
    const last = marks.length - 1
    let alike = 0
    for (let at = hash & last; marks[at] !== 0; at = (at + 1) & last) {
      if (marks[at] !== mark) continue
      if (this.#isAt(this.#places[at] as number, sid, number)) return true
      if (++alike === MAX_ALIKE) break
    }
    if (this.#crowded.size === 0) return false
    const numbers = this.#crowded.get(sid)
    return numbers !== undefined && (number === undefined || numbers.has(number))
  }

  /** The handles that begin as one of these names does. */
  among(names: readonly string[]): Set<string> {
    const found = new Set<string>()
    for (const name of names) this.#addAmong(name, found)
    if (this.#crowded.size > 0) {
      for (const sid of beginningAs(names, this.#crowded.keys())) found.add(sid)
    }
    return found
  }

  /** Forgets a line. */
  close(number: number): void {
    for (const offset of this.#offsets(number)) this.#remove(number, offset)
    this.#lines[number] = undefined
    this.#free.push(number)
    const size = this.#marks.length
    if (size > FIRST_SIZE && this.#taken * 8 < size) this.#rebuild(size / 2)
  }

  #addAmong(name: string, found: Set<string>): void {
    const hash = hashOf(name)
    const mark = markOf(hash)
    const last = this.#marks.length - 1
    let alike = 0
    for (let at = hash & last; this.#marks[at] !== 0; at = (at + 1) & last) {
      if (this.#marks[at] !== mark) continue
      const place = this.#places[at] as number
      const sid = this.#sidAt(this.#numberOf(place), this.#offsetOf(place))
      if (sid.startsWith(name)) found.add(sid)
      if (++alike === MAX_ALIKE) break
    }
  }

  #isAt(place: number, sid: string, number: number | undefined): boolean {
    const line = this.#numberOf(place)
    if (number !== undefined && number !== line) return false
    const text = this.line(line)
    const offset = this.#offsetOf(place)
    const end = offset + sid.length
    return text.startsWith(sid, offset) && (end === text.length || text.charCodeAt(end) === COMMA)
  }

  #sidAt(number: number, offset: number): string {
    const text = this.line(number)
    const end = text.indexOf(BETWEEN, offset)
    return text.slice(offset, end < 0 ? text.length : end)
  }

  #numberOf(place: number): number {
    return place >>> (32 - this.#lineBits)
  }

  #offsetOf(place: number): number {
    return place & (2 ** (32 - this.#lineBits) - 1)
  }

  /** Where the handles of a line begin. */
  *#offsets(number: number, from = 0): Iterable<number> {
    const text = this.line(number)
    for (let offset = from; offset < text.length; offset++) {
      yield offset
      const end = text.indexOf(BETWEEN, offset)
      if (end < 0) return
      offset = end
    }
  }

  #place(number: number, offset: number): void {
    const hash = hashOf(this.line(number), offset)
    const mark = markOf(hash)
    const last = this.#marks.length - 1
    const bits = 32 - this.#lineBits
    let at = hash & last
    let alike = offset < 2 ** bits ? 0 : MAX_ALIKE
    for (; this.#marks[at] !== 0 && alike < MAX_ALIKE; at = (at + 1) & last) {
      if (this.#marks[at] === mark) alike++
    }
    if (alike < MAX_ALIKE) {
      this.#marks[at] = mark
      this.#places[at] = (number << bits) | offset
      this.#taken++
      return
    }
    const sid = this.#sidAt(number, offset)
    this.#crowded.set(sid, (this.#crowded.get(sid) ?? new Set()).add(number))
  }

  #remove(number: number, offset: number): void {
    const hash = hashOf(this.line(number), offset)
    const mark = markOf(hash)
    const last = this.#marks.length - 1
    let alike = 0
    for (let at = hash & last; this.#marks[at] !== 0; at = (at + 1) & last) {
      if (this.#marks[at] !== mark) continue
      const place = this.#places[at] as number
      if (this.#offsetOf(place) === offset && this.#numberOf(place) === number) {
        this.#empty(at)
        return
      }
      if (++alike === MAX_ALIKE) break
    }
    const sid = this.#sidAt(number, offset)
    const numbers = this.#crowded.get(sid)
    numbers?.delete(number)
    if (numbers?.size === 0) this.#crowded.delete(sid)
  }

  /** Frees a place. What is behind it, and would no more be found, moves up. */
  #empty(free: number): void {
    const last = this.#marks.length - 1
    let hole = free
    for (let at = (hole + 1) & last; this.#marks[at] !== 0; at = (at + 1) & last) {
      const place = this.#places[at] as number
      const home = hashOf(this.line(this.#numberOf(place)), this.#offsetOf(place))
      if (((at - home) & last) < ((at - hole) & last)) continue
      this.#marks[hole] = this.#marks[at] as number
      this.#places[hole] = place
      hole = at
    }
    this.#marks[hole] = 0
    this.#taken--
  }

  #rebuild(size: number): void {
    this.#marks = new Uint8Array(size)
    this.#places = new Uint32Array(size)
    this.#taken = 0
    this.#crowded.clear()
    for (let number = 0; number < this.#lines.length; number++) {
      for (const offset of this.#offsets(number)) this.#place(number, offset)
    }
  }
}

/** Those of the handles that begin as one of the names does. */
export function* beginningAs(names: readonly string[], sids: Iterable<string>): Iterable<string> {
  const wanted = new Set(names)
  for (const sid of sids) if (wanted.has(sid.slice(0, NAME_LENGTH))) yield sid
}

/** A fuller table has longer searches, which is worth it where it is large. */
function roomIn(size: number): number {
  return size < LARGE ? size / 2 : (size * 3) / 4
}

/** FNV-1a of the characters with which a handle begins. @param from where in the text it does */
function hashOf(text: string, from = 0): number {
  const end = Math.min(from + HASHED, text.length)
  let hash = 0x811c9dc5
  for (let at = from; at < end; at++) {
    const character = text.charCodeAt(at)
    if (character === COMMA) break
    hash = Math.imul(hash ^ character, 0x01000193)
  }
  return hash ^ (hash >>> 15)
}

/** Other bits than those that lead to the place. */
function markOf(hash: number): number {
  return (hash >>> 25) | 128
}
