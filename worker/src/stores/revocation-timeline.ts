import type { SessionClaims } from '@latchkey/session'
import { CLOCK_SKEW, type EndedSession, isCutOff, type UserCutoff } from '@latchkey/session/issue'
import { erasedName } from '../lib/pseudonyms.js'
import type { ListedStale, RevocationLines, RevokedLately } from './ledger/types.js'
import { addAmong, BETWEEN, RevokedHandles } from './revoked-handles.js'

/** The endings of one second. */
interface RevokedInSecond {
  /** Handles with a comma between two. */
  readonly sids: string
  readonly users: readonly UserCutoff[]
  readonly stale: readonly ListedStale[]
}

interface Second {
  /** With its handles. */
  readonly line: number
  readonly users: UserCutoff[]
  readonly stale: ListedStale[]
}

/** Endings from a time on: all that are known, or those of the seconds before `more`. */
export interface RevocationPage {
  readonly sids: readonly string[]
  readonly users: readonly UserCutoff[]
  /** Tokens to be renewed. Absent: none are. */
  readonly stale?: readonly ListedStale[]
  /** The second with which the next page begins. */
  readonly more?: number
}

/** How much a page may hold; it has one second, however much that is. In characters of JSON. */
export interface PageSize {
  readonly most: number
  readonly of: (cutoff: UserCutoff) => number
}

/** Endings as they arrive: one by one, or in lines. */
type LedgerAnswer =
  | Pick<RevokedLately, 'sessions' | 'users' | 'stale'>
  | Pick<RevocationLines, 'seconds' | 'users' | 'stale'>

/** A handle has quotes; the comma is in the line. */
const AROUND_SID = 2

/**
 * The recent endings that are known, by the second of the ledger's clock: so every isolate has the
 * same endings in a second, and one may answer with the page that follows another's. No later
 * answer, in any order, removes a known ending.
 */
export class RevocationTimeline {
  readonly #seconds = new Map<number, Second>()
  /** The keys of `#seconds`, the first one first. */
  readonly #order: number[] = []
  readonly #handles = new RevokedHandles()
  /** The last cut-off of each user, or several of the same second. */
  readonly #last = new Map<string, readonly UserCutoff[]>()
  /** The last refresh of the claims of each person, and of each session. */
  readonly #stale = new Map<string, ListedStale>()
  /** Endings of this isolate, by this clock: the ledger has not listed them yet. */
  readonly #own = new Map<string, number>()

  /** A session that is known to be over without the ledger's word. @param at seconds */
  addOwn(sid: string, at: number): void {
    this.#own.delete(sid)
    this.#own.set(sid, at)
  }

  /** Cut-offs have the time of the isolate that wrote them, which is a minute apart at most. */
  addCutoff(cutoff: UserCutoff): void {
    const { sub, until, except } = cutoff
    const last = this.#last.get(sub) ?? []
    const [known] = last
    // A later one has ended as much and more: who reads the feed passes over this one as well.
    if (known && known.until > until) return
    const same = known?.until === until ? last : []
    if (same.some((one) => one.except === except)) return
    this.#last.set(sub, [...same, cutoff])
    this.#second(until + CLOCK_SKEW).users.push(cutoff)
  }

  addStale(one: ListedStale): void {
    const known = this.#stale.get(nameOf(one))
    if (known && known.until >= one.until) return
    this.#stale.set(nameOf(one), one)
    this.#second(Math.floor(one.at)).stale.push(one)
  }

  /** Up to when the tokens of a session are stale; `undefined`: none is. Seconds. */
  staleUntil({ sid, sub, pid }: Pick<SessionClaims, 'sid' | 'sub' | 'pid'>): number | undefined {
    if (this.#stale.size === 0) return undefined
    const erased = pid === undefined ? [] : [{ sub: erasedName(pid) }]
    const found = [{ sub }, ...erased, { sid }].flatMap(
      (one) => this.#stale.get(nameOf(one))?.until ?? [],
    )
    return found.length === 0 ? undefined : Math.max(...found)
  }

  /** Adds an answer of the ledger. */
  add(answer: LedgerAnswer): void {
    for (const [at, handles] of 'seconds' in answer
      ? answer.seconds
      : this.#bySecond(answer.sessions)) {
      const sids = typeof handles === 'string' ? handles.split(BETWEEN) : handles
      this.#handles.add(this.#second(Math.floor(at)).line, sids)
      if (this.#own.size > 0) for (const sid of sids) this.#own.delete(sid)
    }
    for (const cutoff of answer.users) this.addCutoff(cutoff)
    for (const one of answer.stale ?? []) this.addStale(one)
  }

  /** Is this session over? @param other name of its user in cut-offs */
  has(claims: Pick<SessionClaims, 'sid' | 'sub' | 'auth_time' | 'began'>, other?: string): boolean {
    const { sid, sub } = claims
    if (this.#seconds.size > 0 && this.#handles.has(sid)) return true
    if (this.#own.size > 0 && this.#own.has(sid)) return true
    if (this.#last.size === 0) return false
    return this.#isCutOff(sub, claims) || (other !== undefined && this.#isCutOff(other, claims))
  }

  #isCutOff(user: string, claims: Pick<SessionClaims, 'sid' | 'auth_time' | 'began'>): boolean {
    return this.#last.get(user)?.some((cutoff) => isCutOff(claims, cutoff)) === true
  }

  /** The handles that begin as one of these names does. */
  among(names: readonly string[]): string[] {
    const handles = this.#handles.among(names)
    addAmong(names, this.#own.keys(), handles)
    return [...handles]
  }

  /** The endings at a time or later, in whole seconds. */
  page(since: number, size?: PageSize): RevocationPage {
    const sids: string[] = []
    const users: UserCutoff[] = []
    const stale: ListedStale[] = []
    let length = 0
    for (const [second, revocations] of this.seconds(since)) {
      const handles = revocations.sids === '' ? [] : revocations.sids.split(BETWEEN)
      if (size) length += lengthOf(handles, revocations, size)
      const isBegun = sids.length + users.length + stale.length > 0
      if (size && isBegun && length > size.most) return pageOf({ sids, users, more: second }, stale)
      for (const sid of handles) sids.push(sid)
      for (const cutoff of revocations.users) users.push(cutoff)
      for (const one of revocations.stale) stale.push(one)
    }
    for (const [sid, at] of this.#own) {
      if (at >= since) sids.push(sid)
    }
    return pageOf({ sids, users }, stale)
  }

  /**
   * The ledger's endings at a time or later, by the second, the oldest first. Each user has only
   * their last cut-off: a user who ends all sessions every second would fill the feed otherwise.
   */
  *seconds(since: number): Iterable<readonly [number, RevokedInSecond]> {
    const isLast = ({ sub, until }: UserCutoff) => until === this.#last.get(sub)?.[0]?.until
    for (const time of this.#order.slice(this.#indexOf(since))) {
      const { line, users, stale } = this.#second(time)
      const last = stale.filter((one) => this.#stale.get(nameOf(one)) === one)
      yield [time, { sids: this.#handles.line(line), users: users.filter(isLast), stale: last }]
    }
  }

  /** Forgets the endings before a time. */
  forget(before: number): void {
    for (const [sid, at] of this.#own) {
      if (at >= before) break
      this.#own.delete(sid)
    }
    for (const time of this.#order.splice(0, this.#indexOf(before))) {
      const { line, users, stale } = this.#second(time)
      for (const one of stale) {
        if (this.#stale.get(nameOf(one)) === one) this.#stale.delete(nameOf(one))
      }
      for (const cutoff of users) {
        if (this.#last.get(cutoff.sub)?.includes(cutoff)) this.#last.delete(cutoff.sub)
      }
      this.#handles.close(line)
      this.#seconds.delete(time)
    }
  }

  /** A handle that would be two in a line, which no id of ours is, stands for itself. */
  #bySecond(sessions: readonly EndedSession[]): ReadonlyMap<number, readonly string[]> {
    const seconds = new Map<number, string[]>()
    for (const { sid, at } of sessions) {
      const others = seconds.get(at)
      if (sid.includes(BETWEEN)) this.addOwn(sid, at)
      else if (others) others.push(sid)
      else seconds.set(at, [sid])
    }
    return seconds
  }

  #second(time: number): Second {
    const second = this.#seconds.get(time)
    if (second) return second
    const made: Second = { line: this.#handles.open(), users: [], stale: [] }
    this.#seconds.set(time, made)
    this.#order.splice(this.#indexOf(time), 0, time)
    return made
  }

  /** The index of the first second at that time or later. */
  #indexOf(time: number): number {
    let [low, high] = [0, this.#order.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#order[middle] as number) < time) low = middle + 1
      else high = middle
    }
    return low
  }
}

function lengthOf(
  handles: readonly string[],
  { sids, users, stale }: RevokedInSecond,
  { of }: PageSize,
): number {
  let length = sids.length + handles.length * AROUND_SID
  for (const cutoff of users) length += of(cutoff)
  for (const { sid, until } of stale) length += of({ sub: '', until, except: sid ?? '' })
  return length
}

function pageOf(page: RevocationPage, stale: readonly ListedStale[]): RevocationPage {
  return stale.length === 0 ? page : { ...page, stale }
}

function nameOf({ sub, sid }: Pick<ListedStale, 'sub' | 'sid'>): string {
  return sid === undefined ? `person ${sub}` : `session ${sid}`
}
