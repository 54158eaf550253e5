import type { AuditHead } from '../../../types/audit.js'
import type { ChainHeads } from './record.js'

/** The faults that a check of a log can find (docs/audit.md). */
export type AuditFault = 'edited' | 'missing' | 'unlinked' | 'early' | 'rewritten' | 'gone'

/** A fault, and its place. */
export interface FoundFault {
  readonly fault: AuditFault
  readonly chain: string
  readonly seq: number
}

/** A record, as far as its neighbors care. `undefined` is unknown, as in a damaged record. */
interface Link {
  readonly seq: number
  readonly prev: string | null | undefined
  readonly hash: string | undefined
}

/** Records without a hole between them. */
interface Stretch {
  first: Link
  last: Link
}

/** The ends of a chain, which its records are compared with. */
export interface ChainEnds {
  /** Before the records were read. */
  readonly heads?: ChainHeads | undefined
  /** After it: retention may have deleted records meanwhile. */
  readonly later?: ChainHeads | undefined
  /** A head of an earlier time. */
  readonly saved?: AuditHead | undefined
  /** Is a time older than the days? */
  readonly isOld: (time: string | null) => boolean
}

/**
 * The check of one chain. Records come in any order; in the order of the chain, or the reverse one, it keeps two of them, whatever
 * the length.
 */
export class ChainCheck {
  readonly #chain: string
  /** In the order of the chain. */
  readonly #stretches: Stretch[] = []
  /** The records at which a head says what their hash is. */
  readonly #wanted: ReadonlySet<number>
  readonly #found = new Map<number, string | undefined>()
  readonly #faults: FoundFault[] = []
  #newest: AuditHead | undefined

  constructor(chain: string, wanted: Iterable<number>) {
    this.#chain = chain
    this.#wanted = new Set(wanted)
  }

  /** @param isEdited is it damaged, or is its hash another one? */
  add(link: Link, time: string | null, isEdited: boolean): void {
    if (isEdited) this.#report('edited', link.seq)
    if (this.#wanted.has(link.seq)) this.#found.set(link.seq, link.hash)
    if (link.seq >= (this.#newest?.seq ?? 0)) {
      this.#newest = { seq: link.seq, hash: link.hash ?? null, time }
    }
    const at = this.#place(link.seq)
    const below = this.#stretches[at - 1]
    const above = this.#stretches[at]
    // The same place twice: in a file that somebody has put together.
    if (below && below.last.seq >= link.seq) {
      this.#report('unlinked', link.seq)
      return
    }
    const follows = below?.last.seq === link.seq - 1
    const precedes = above?.first.seq === link.seq + 1
    if (below && follows) this.#compare(below.last, link)
    if (above && precedes) this.#compare(link, above.first)
    if (below && follows && above && precedes) {
      below.last = above.last
      this.#stretches.splice(at, 1)
    } else if (below && follows) below.last = link
    else if (above && precedes) above.first = link
    else this.#stretches.splice(at, 0, { first: link, last: link })
  }

  /** From the first to the last record; `undefined`: there was none. */
  get range(): { readonly chain: string; readonly from: number; readonly to: number } | undefined {
    const [first] = this.#stretches
    const last = this.#stretches.at(-1)
    return first && last && { chain: this.#chain, from: first.first.seq, to: last.last.seq }
  }

  /** The chain's ends, by its records alone. */
  get heads(): ChainHeads | undefined {
    const first = this.#stretches[0]?.first
    if (!first || !this.#newest) return undefined
    const floor = { seq: first.seq - 1, hash: first.prev ?? null, time: null }
    return { floor, head: this.#newest }
  }

  /** All faults of the chain, in its order. */
  end(ends: ChainEnds): readonly FoundFault[] {
    this.#checkFloor(ends)
    for (const [at, { last }] of this.#stretches.entries()) {
      if (at < this.#stretches.length - 1) this.#report('missing', last.seq + 1)
    }
    if (ends.heads) this.#checkHead(ends.heads)
    if (ends.saved && ends.saved.seq > 0) this.#checkSaved(ends.saved, ends)
    return this.#faults.sort((one, other) => one.seq - other.seq)
  }

  #checkFloor({ heads, later = heads, isOld }: ChainEnds): void {
    const first = this.#stretches[0]?.first
    // Without heads only the very first record says that it is one.
    const floor = later?.floor ?? (first?.seq === 1 ? NOTHING : undefined)
    if (!floor) return
    if (floor.seq > 0 && !isOld(floor.time)) this.#report('early', floor.seq)
    if (!first) return
    const isBelow = heads !== undefined && first.seq <= heads.floor.seq
    if (isBelow) this.#report('missing', first.seq)
    else if (first.seq > floor.seq + 1) this.#report('missing', floor.seq + 1)
    else if (first.seq === floor.seq + 1) {
      const hash = floor.seq > 0 ? (floor.hash ?? undefined) : null
      if (differ(hash, first.prev)) this.#report('unlinked', first.seq)
    }
  }

  #checkHead({ floor, head }: ChainHeads): void {
    const last = this.#stretches.at(-1)?.last.seq ?? floor.seq
    if (last < head.seq) this.#report('missing', last + 1)
    else if (differ(head.hash ?? undefined, this.#found.get(head.seq))) {
      this.#report('missing', head.seq)
    }
  }

  /** Retention may have deleted a record that is older than the days, and then nobody can tell. */
  #checkSaved(saved: AuditHead, { heads, later = heads, isOld }: ChainEnds): void {
    const isFloor = later?.floor.seq === saved.seq
    const isFound = this.#found.has(saved.seq)
    const hash = isFound ? this.#found.get(saved.seq) : isFloor ? later?.floor.hash : undefined
    if (hash === saved.hash) return
    if (hash !== undefined || !isOld(saved.time)) this.#report('rewritten', saved.seq)
  }

  #compare(before: Link, after: Link): void {
    if (differ(before.hash, after.prev)) this.#report('unlinked', after.seq)
  }

  #report(fault: AuditFault, seq: number): void {
    this.#faults.push({ fault, chain: this.#chain, seq })
  }

  /** Before which stretch does a record belong? */
  #place(seq: number): number {
    let low = 0
    let high = this.#stretches.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#stretches[middle]?.first.seq ?? 0) <= seq) low = middle + 1
      else high = middle
    }
    return low
  }
}

const NOTHING: AuditHead = { seq: 0, hash: null, time: null }

/** Are both known, and not the same? */
function differ(one: string | null | undefined, other: string | null | undefined): boolean {
  return one !== undefined && other !== undefined && one !== other
}
