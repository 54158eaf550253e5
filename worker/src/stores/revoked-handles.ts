import { FEED_NAME_LENGTH } from '@latchkey/session/issue'

/** Stands between two handles of a line, and in none. */
export const BETWEEN = ','
const COMMA = BETWEEN.charCodeAt(0)

/**
 * The most handles with the same beginning that have a place. Without a limit each search would
 * look at all of them.
 */
const MAX_ALIKE = 16
/** 36 bits of an id of ours. */
const HASHED = 6
const FIRST_SIZE = 16
/**
 * From this size on, a table is filled further: a longer search costs less than the free places.
 */
const LARGE = 2 ** 16
/** Bits of a place that are the offset in its line, for up to 512 lines. More lines take of them. */
const FIRST_OFFSET_BITS = 23

/**
 * Lines of handles, and a table of where in them each handle is: five bytes for each of its places,
 * so that a million are a few values for the garbage collector. They are found by their first characters,
 * by which apps ask as well, and then compared as a whole.
 */
export class RevokedHandles {
  /** Handles with a comma between two. Empty: the number may be given again. */
  readonly #lines: string[] = []
  readonly #free: number[] = []
  #offsetBits = FIRST_OFFSET_BITS
  /** 0: the place is free. Otherwise bits of the hash, which spare most looks at a line. */
  #marks = new Uint8Array(FIRST_SIZE)
  /** The number of the line, and the offset in it. */
  #places = new Uint32Array(FIRST_SIZE)
  #taken = 0
  /**
   * Handles without a place, with their lines: too many have the same beginning, or their line is
   * too long.
   */
  readonly #crowded = new Map<string, Set<number>>()

  /** A new line, by its number. */
  open(): number {
    const number = this.#free.pop() ?? this.#lines.push('') - 1
    if (number >>> (32 - this.#offsetBits) > 0) {
      this.#offsetBits--
      this.#rebuild(this.#marks.length)
    }
    return number
  }

  line(number: number): string {
    return this.#lines[number] as string
  }

  /** Adds the missing handles to a line. */
  add(number: number, sids: readonly string[]): void {
    const fresh = sids.filter((sid) => sid !== '' && !this.has(sid, number))
    if (fresh.length === 0) return
    let size = this.#marks.length
    while (this.#taken + fresh.length > (size < LARGE ? 0.5 : 0.75) * size) size *= 2
    if (size > this.#marks.length) this.#rebuild(size)
    const line = this.line(number)
    const begun = line && line + BETWEEN
    this.#lines[number] = begun + fresh.join(BETWEEN)
    for (const offset of this.#offsets(number, begun.length)) this.#place(number, offset)
  }

  /** Is this handle in a line? @param number of the only line that counts */
  has(sid: string, number?: number): boolean {
    const at = this.#walk(hashOf(sid), (place) => {
      const line = place >>> this.#offsetBits
      if (number !== undefined && number !== line) return false
      const text = this.line(line)
      const offset = this.#offsetOf(place)
      const end = offset + sid.length
      const isThere = end === text.length || text.charCodeAt(end) === COMMA
      return isThere && text.startsWith(sid, offset) && !sid.includes(BETWEEN)
    })
    if (this.#marks[at]) return true
    if (this.#crowded.size === 0) return false
    const numbers = this.#crowded.get(sid)
    return numbers !== undefined && (number === undefined || numbers.has(number))
  }

  /** The handles that begin as one of these names does. */
  among(names: readonly string[]): Set<string> {
    const handles = new Set<string>()
    for (const name of names) {
      this.#walk(hashOf(name), (place) => {
        const sid = this.#sidAt(place >>> this.#offsetBits, this.#offsetOf(place))
        if (sid.startsWith(name)) handles.add(sid)
        return false
      })
    }
    if (this.#crowded.size > 0) addAmong(names, this.#crowded.keys(), handles)
    return handles
  }

  /** Forgets a line. */
  close(number: number): void {
    for (const offset of this.#offsets(number)) this.#remove(number, offset)
    this.#lines[number] = ''
    this.#free.push(number)
    const size = this.#marks.length
    if (size > FIRST_SIZE && this.#taken * 8 < size) this.#rebuild(size / 2)
  }

  /**
   * The place of the handle in the table, or else the first free place. -1: too many have the same
   * beginning.
   */
  #walk(hash: number, isIt?: (place: number) => boolean): number {
    const marks = this.#marks
    const last = marks.length - 1
    const mark = markOf(hash)
    let alike = 0
    for (let at = hash & last; ; at = (at + 1) & last) {
      if (marks[at] === 0) return at
      if (marks[at] !== mark) continue
      if (isIt?.(this.#places[at] as number)) return at
      if (++alike === MAX_ALIKE) return -1
    }
  }

  #offsetOf(place: number): number {
    return place & (2 ** this.#offsetBits - 1)
  }

  #sidAt(number: number, offset: number): string {
    const text = this.line(number)
    const end = text.indexOf(BETWEEN, offset)
    return end < 0 ? text.slice(offset) : text.slice(offset, end)
  }

  /** The start of a line's handles. */
  *#offsets(number: number, from = 0): Iterable<number> {
    const text = this.line(number)
    for (let offset = from; offset < text.length; offset++) {
      yield offset
      offset = text.indexOf(BETWEEN, offset)
      if (offset < 0) return
    }
  }

  #place(number: number, offset: number): void {
    const hash = hashOf(this.line(number), offset)
    const at = this.#walk(hash)
    if (at >= 0 && offset >>> this.#offsetBits === 0) {
      this.#marks[at] = markOf(hash)
      this.#places[at] = (number << this.#offsetBits) | offset
      this.#taken++
      return
    }
    const sid = this.#sidAt(number, offset)
    this.#crowded.set(sid, (this.#crowded.get(sid) ?? new Set()).add(number))
  }

  #remove(number: number, offset: number): void {
    const wanted = number * 2 ** this.#offsetBits + offset
    const at = this.#walk(hashOf(this.line(number), offset), (place) => place === wanted)
    if (offset >>> this.#offsetBits === 0 && this.#marks[at]) {
      this.#empty(at)
      return
    }
    const sid = this.#sidAt(number, offset)
    const numbers = this.#crowded.get(sid)
    numbers?.delete(number)
    if (numbers?.size === 0) this.#crowded.delete(sid)
  }

  /** Frees a place. A handle behind it that would no longer be found moves up. */
  #empty(free: number): void {
    const last = this.#marks.length - 1
    let hole = free
    for (let at = (hole + 1) & last; this.#marks[at] !== 0; at = (at + 1) & last) {
      const place = this.#places[at] as number
      const home = hashOf(this.line(place >>> this.#offsetBits), this.#offsetOf(place))
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
    for (const number of this.#lines.keys()) {
      for (const offset of this.#offsets(number)) this.#place(number, offset)
    }
  }
}

/** Adds those of the handles that begin as one of the names does. */
export function addAmong(
  names: readonly string[],
  sids: Iterable<string>,
  handles: Set<string>,
): void {
  const wanted = new Set(names)
  for (const sid of sids) if (wanted.has(sid.slice(0, FEED_NAME_LENGTH))) handles.add(sid)
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
