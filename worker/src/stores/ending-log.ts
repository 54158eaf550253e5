import { CLOCK_SKEW } from '@latchkey/session/internal'
import type { Revocations, UserCutoff } from '@latchkey/session/issue'

/** What ended in one second. */
export interface Second {
  readonly sids: string[]
  readonly users: UserCutoff[]
}

/** Endings from a time on: all that are known, or those of the seconds before `more`. */
export interface EndingPage {
  readonly sids: readonly string[]
  readonly users: readonly UserCutoff[]
  /** The second with which the next page begins. */
  readonly more?: number
}

/** How much a page may hold; it has one second, however much that is. In characters of JSON. */
export interface PageSize {
  readonly most: number
  readonly of: (cutoff: UserCutoff) => number
}

/** A handle in quotes, with a comma. */
const AROUND_SID = 3

/**
 * The endings that a feed tells of, by the second, so that a page of it costs what is on the page. A
 * second is the ledger's, so every isolate has the same endings in it, and one may answer with the
 * page that follows another's.
 */
export class EndingLog {
  readonly #seconds = new Map<number, Second>()
  /** The keys of `#seconds`, the first one first once they are sorted. */
  #order: number[] = []
  #isSorted = true
  /** The last cut-off of each user. */
  readonly #cutoffs = new Map<string, UserCutoff>()
  /** What ended here, and when by this clock: the ledger has not told of it yet. */
  readonly #own = new Map<string, number>()

  /** A session that this isolate knows to be over by itself. */
  addOwn(sid: string, at: number): void {
    this.#own.delete(sid)
    this.#own.set(sid, at)
  }

  /** Cut-offs have the time of the isolate that wrote them, which is a minute apart at most. */
  addCutoff(cutoff: UserCutoff): void {
    const { sub, until, except } = cutoff
    const known = this.#cutoffs.get(sub)
    // A later one has ended as much and more: who reads the feed passes over this one as well.
    if (known && known.until > until) return
    if (known && known.until === until && known.except === except) return
    this.#cutoffs.set(sub, cutoff)
    this.#second(until + CLOCK_SKEW).users.push(cutoff)
  }

  /** The ledger's answer to a question for what ended at a time or later. */
  addTold({ sessions, users }: Revocations, since: number): void {
    // The question before had some of these seconds in part.
    for (const second of this.#from(since)) this.#second(second).sids.length = 0
    for (const { sid, at } of sessions) {
      this.#second(Math.floor(at)).sids.push(sid)
      this.#own.delete(sid)
    }
    for (const cutoff of users) this.addCutoff(cutoff)
  }

  /** Forgets what ended before a time. */
  forget(before: number): void {
    const [first = Number.POSITIVE_INFINITY] = this.#sorted()
    for (const [sid, at] of this.#own) {
      if (at >= before) break
      this.#own.delete(sid)
    }
    if (first >= before) return
    const kept = this.#from(before)
    for (const second of this.#order.slice(0, this.#order.length - kept.length)) {
      for (const cutoff of this.#second(second).users) {
        if (this.#cutoffs.get(cutoff.sub) === cutoff) this.#cutoffs.delete(cutoff.sub)
      }
      this.#seconds.delete(second)
    }
    this.#order = kept
  }

  /** What ended at a time or later, in whole seconds. */
  page(since: number, size?: PageSize): EndingPage {
    const sids: string[] = []
    const users: UserCutoff[] = []
    let length = 0
    for (const second of this.#from(since)) {
      const found = this.#current(second)
      if (size) length += lengthOf(found, size)
      const isBegun = sids.length > 0 || users.length > 0
      if (size && isBegun && length > size.most) return { sids, users, more: second }
      for (const sid of found.sids) sids.push(sid)
      for (const cutoff of found.users) users.push(cutoff)
    }
    for (const [sid, at] of this.#own) {
      if (at >= since) sids.push(sid)
    }
    return { sids, users }
  }

  /** What ended at a time or later, by the second, the oldest first. */
  seconds(since: number): readonly (readonly [number, Second])[] {
    return this.#from(since).map((second) => [second, this.#current(second)])
  }

  /**
   * What ended in a second, of the cut-offs each user's last alone: somebody who ends all sessions every second
   * would fill the feed otherwise.
   */
  #current(second: number): Second {
    const { sids, users } = this.#second(second)
    const isLast = ({ sub, until }: UserCutoff) => until === this.#cutoffs.get(sub)?.until
    return { sids, users: users.every(isLast) ? users : users.filter(isLast) }
  }

  #second(second: number): Second {
    const known = this.#seconds.get(second)
    if (known) return known
    const made: Second = { sids: [], users: [] }
    this.#seconds.set(second, made)
    this.#isSorted &&= second > (this.#order.at(-1) ?? Number.NEGATIVE_INFINITY)
    this.#order.push(second)
    return made
  }

  #sorted(): readonly number[] {
    if (!this.#isSorted) this.#order.sort((one, other) => one - other)
    this.#isSorted = true
    return this.#order
  }

  /** The seconds from a time on, in their order. */
  #from(time: number): number[] {
    const order = this.#sorted()
    let [low, high] = [0, order.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((order[middle] as number) < time) low = middle + 1
      else high = middle
    }
    return order.slice(low)
  }
}

function lengthOf({ sids, users }: Second, { of }: PageSize): number {
  let length = 0
  for (const sid of sids) length += sid.length + AROUND_SID
  for (const cutoff of users) length += of(cutoff)
  return length
}
