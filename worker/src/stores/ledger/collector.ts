import {
  answerWithin,
  CLOCK_SKEW,
  elapsed,
  MAX_TOKEN_LIFE,
  within,
} from '@latchkey/session/internal'
import type { UserCutoff } from '@latchkey/session/issue'
import { askedAgain } from '../asked-again.js'
import { EndingList } from '../ending-list.js'
import type { EndingLines, RevokedLately } from '../ports.js'
import type { Place } from './placement.js'

/** So many objects have one collector: each call of it may ask all of them. */
export const MEMBERS = 64

/** What a collector knows is as old as this at most. Milliseconds. */
export const COLLECTOR_AGE = 1_000
/** No caller waits longer for the objects: it waits for a second itself. Milliseconds. */
const MAX_WAIT = 700
/** An object that does not answer is asked again: while callers wait, then as often as any. Milliseconds. */
const PAUSES = [350, COLLECTOR_AGE, COLLECTOR_AGE, COLLECTOR_AGE, COLLECTOR_AGE]
/** What has no answer by then will have none. Milliseconds. */
const PATIENCE = 5_000
/** An object that no caller names any more is not asked: their number was changed. Milliseconds. */
const UNNAMED = 60_000
/** A caller goes on with another call: one that starts asks several collectors at once, and has little memory. In characters. */
const MAX_LENGTH = 2 * 1024 * 1024

interface Member {
  readonly place: Place
  /** From when on this object's endings are known. Seconds by its clock, as all times of a member. */
  from: number
  /** Up to when; `undefined`: it was never heard. */
  next: number | undefined
  asking: Promise<void> | undefined
  /** When a caller last named it. Milliseconds. */
  namedAt: number
}

/**
 * Knows the recent endings of several of the ledger's objects, for the isolates that would otherwise
 * ask each of them. It stores nothing: one that starts anew asks for everything again. An object that
 * does not answer holds up no other one's endings, only the time up to which all are known.
 */
export class Collector {
  readonly #ask: (place: Place, since: number) => Promise<RevokedLately>
  readonly #now: () => number
  readonly #members = new Map<string, Member>()
  /** Of all members. */
  readonly #list = new EndingList()
  /** How far back callers have asked. Seconds. */
  #window = 0
  #askedAt = Number.NEGATIVE_INFINITY
  #look: Promise<unknown> = Promise.resolve()

  /** @param now milliseconds since the epoch */
  constructor(ask: (place: Place, since: number) => Promise<RevokedLately>, now: () => number) {
    this.#ask = ask
    this.#now = now
  }

  /**
   * What ended at a time or later in these objects.
   *
   * @param since seconds
   * @param isFirst the objects are asked now, so that a caller that starts knows all that ended
   * @throws {Error} when none of them was ever heard
   */
  async since(since: number, places: readonly Place[], isFirst = false): Promise<EndingLines> {
    const now = this.#now()
    this.#window = Math.max(this.#window, Math.min(now / 1000 - since, MAX_TOKEN_LIFE))
    this.#forget(Math.floor(now / 1000 - this.#window) - 2 * CLOCK_SKEW)
    const members = places.map((place) => this.#member(place, since, now))
    const isNew = members.some(({ next, asking }) => next === undefined && !asking)
    if (isFirst || isNew || elapsed(this.#askedAt, now) >= COLLECTOR_AGE) {
      this.#askedAt = now
      this.#look = Promise.allSettled(this.#named(now).map((one) => this.#learn(one)))
    }
    await within(MAX_WAIT, this.#look)
    if (members.every(({ next }) => next === undefined)) {
      throw new Error('None of the objects of the ledger answers.')
    }
    // An object that was never heard has told nothing of that time.
    return this.#since(since, Math.min(...members.map(({ next }) => next ?? since)))
  }

  /** Nobody has asked for earlier endings; who does is not answered from here. */
  #forget(oldest: number): void {
    this.#list.forget(oldest)
    for (const member of this.#members.values()) member.from = Math.max(member.from, oldest)
  }

  /** Where a caller's tokens live longer than those of all before, everything is asked for anew. */
  #member(place: Place, since: number, now: number): Member {
    const known = this.#members.get(place.name)
    if (known && known.from <= since) {
      known.namedAt = now
      return known
    }
    const member = { place, from: since, next: undefined, asking: undefined, namedAt: now }
    this.#members.set(place.name, member)
    return member
  }

  #named(now: number): Member[] {
    for (const [name, { namedAt }] of this.#members) {
      if (elapsed(namedAt, now) > UNNAMED) this.#members.delete(name)
    }
    return [...this.#members.values()]
  }

  #learn(member: Member): Promise<void> {
    member.asking ??= this.#askAll(member).finally(() => {
      member.asking = undefined
    })
    return member.asking
  }

  async #askAll(member: Member): Promise<void> {
    for (let hasMore = true; hasMore; ) {
      const since: number = member.next ?? member.from
      const ask = () => this.#ask(member.place, since)
      const found = await answerWithin(PATIENCE, askedAgain(ask, PAUSES))
      this.#list.add(found)
      member.next = Math.max(found.next, since)
      hasMore = found.hasMore && found.next > since
    }
  }

  #since(since: number, next: number): EndingLines {
    const users: UserCutoff[] = []
    const seconds: [number, string][] = []
    let length = 0
    let rest: number | undefined
    for (const [second, ended] of this.#list.seconds(since)) {
      users.push(...ended.users)
      if (ended.sids === '' || rest !== undefined) continue
      if (length > 0 && length + ended.sids.length > MAX_LENGTH) {
        rest = second
        continue
      }
      length += ended.sids.length
      seconds.push([second, ended.sids])
    }
    if (rest === undefined) return { seconds, users, next, hasMore: false }
    return { seconds, users, next: Math.min(next, rest), hasMore: rest <= next }
  }
}
