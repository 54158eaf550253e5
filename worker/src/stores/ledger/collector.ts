import { answerWithin, elapsed, within } from '@latchkey/session/internal'
import { CLOCK_SKEW, MAX_TOKEN_LIFE } from '@latchkey/session/issue'
import { withRetries } from '../retry.js'
import { RevocationTimeline } from '../revocation-timeline.js'
import { linesSince } from './collector-answer.js'
import type { Place } from './placement.js'
import type { Mark, RevocationLines, RevokedLately } from './types.js'

/** How many objects have one collector: each call of it may ask all of them. */
export const MEMBERS = 64

/** What a collector knows is as old as this at most. Milliseconds. */
export const COLLECTOR_AGE = 1_000
/** No caller waits longer for the objects: it waits for a second itself. Milliseconds. */
const MAX_WAIT = 700
/** For one that was silent the time before, callers wait no longer than it takes to reach it. Milliseconds. */
const MAX_RETRY_WAIT = 400
/** An object that does not answer is asked again while callers wait, and then with each look. Milliseconds. */
const PAUSES = [350]
/** An object that has not answered by then will not. Milliseconds. */
const PATIENCE = 5_000
/** An object that no caller names any more is not asked: their number was changed. Milliseconds. */
const UNNAMED = 60_000

interface Member {
  readonly place: Place
  /** From when on this object's endings are known. Seconds by its clock, as all times of a member. */
  from: number
  /** Up to when; `undefined`: it was never heard. */
  next: number | undefined
  asking: Promise<void> | undefined
  /** For what callers wait. */
  wait: Promise<unknown>
  /** When it was asked last, or answered in part. Milliseconds. */
  askedAt: number
  /** Since when it was asked without an answer. Milliseconds. */
  silentSince: number | undefined
  /** When a caller last named it. Milliseconds. */
  namedAt: number
}

/**
 * Knows the recent endings of several of the ledger's objects, for the isolates that would
 * otherwise ask each of them. It stores nothing: one that restarts asks for everything again. An
 * object that does not answer holds up no other one's endings, only the time up to which all are
 * known.
 */
export class Collector {
  readonly #call: (place: Place, since: number) => Promise<RevokedLately>
  readonly #now: () => number
  readonly #members = new Map<string, Member>()
  /** The endings of all members. */
  readonly #list = new RevocationTimeline()
  /** How far back callers have asked. Seconds. */
  #window = 0
  #askedAt = Number.NEGATIVE_INFINITY
  /** Unique, so that the mark of another collector, or from before a restart, does not fit. */
  readonly #name = crypto.randomUUID()

  /** @param now milliseconds since the epoch */
  constructor(ask: (place: Place, since: number) => Promise<RevokedLately>, now: () => number) {
    this.#call = ask
    this.#now = now
  }

  /**
   * The endings at a time or later in these objects.
   *
   * @param since seconds
   * @param isFirst the objects are asked now, so that a caller that starts knows all that ended
   * @param mark from the caller's last answer: its endings are not sent again
   * @throws {Error} when none of them was ever heard
   */
  async since(
    since: number,
    places: readonly Place[],
    isFirst = false,
    mark?: Mark,
  ): Promise<RevocationLines> {
    const now = this.#now()
    this.#window = Math.max(this.#window, Math.min(now / 1000 - since, MAX_TOKEN_LIFE))
    this.#forget(Math.floor(now / 1000 - this.#window) - 2 * CLOCK_SKEW)
    const members = places.map((place) => this.#member(place, since, now))
    const isNew = members.some(({ next, asking }) => next === undefined && !asking)
    if (isFirst || isNew || elapsed(this.#askedAt, now) >= COLLECTOR_AGE) {
      this.#askedAt = now
      for (const member of this.#named(now)) this.#ask(member, now)
    }
    await within(MAX_WAIT, Promise.all(members.map(({ wait }) => wait)))
    if (members.every(({ next }) => next === undefined)) {
      throw new Error('None of the objects of the ledger answers.')
    }
    const heard = members.map(({ next }) => next ?? since)
    // An object that was never heard has sent nothing for that time.
    const next = Math.min(...heard)
    const answer = linesSince(this.#list.seconds(since), next, this.#name, mark)
    return { ...answer, heard: Math.max(...heard) }
  }

  /** No caller has asked for earlier endings yet; a caller that does is not answered from here. */
  #forget(oldest: number): void {
    this.#list.forget(oldest)
    for (const member of this.#members.values()) member.from = Math.max(member.from, oldest)
  }

  /**
   * If a caller's tokens live longer than those of all earlier callers, everything is fetched
   * again.
   */
  #member(place: Place, since: number, now: number): Member {
    const previous = this.#members.get(place.name)
    if (previous && previous.from <= since) {
      previous.namedAt = now
      return previous
    }
    const member: Member = {
      place,
      from: since,
      next: undefined,
      asking: undefined,
      wait: Promise.resolve(),
      askedAt: now,
      silentSince: undefined,
      namedAt: now,
    }
    this.#members.set(place.name, member)
    return member
  }

  #named(now: number): Member[] {
    for (const [name, { namedAt }] of this.#members) {
      if (elapsed(namedAt, now) > UNNAMED) this.#members.delete(name)
    }
    return [...this.#members.values()]
  }

  /** Asks an object, for which callers wait less if it was silent before. */
  #ask(member: Member, now: number): void {
    const { silentSince } = member
    const answer = this.#learn(member, now)
    const isLate = silentSince !== undefined && elapsed(silentSince, now) >= MAX_WAIT
    member.wait = isLate ? within(MAX_RETRY_WAIT, answer) : answer
  }

  /** A question that may have been lost holds up no other one. Never rejects. */
  #learn(member: Member, now: number): Promise<void> {
    if (member.asking && elapsed(member.askedAt, now) < COLLECTOR_AGE) return member.asking
    member.silentSince ??= now
    member.askedAt = now
    const asking = this.#askParts(member)
      .catch(() => {})
      .then(() => {
        if (member.asking === asking) member.asking = undefined
      })
    member.asking = asking
    return asking
  }

  async #askParts(member: Member): Promise<void> {
    for (let hasMore = true; hasMore; ) {
      const since: number = member.next ?? member.from
      const ask = () => this.#call(member.place, since)
      const revocations = await answerWithin(PATIENCE, withRetries(ask, PAUSES))
      this.#list.add(revocations)
      member.silentSince = undefined
      member.askedAt = this.#now()
      member.next = Math.max(revocations.next, since, member.next ?? since)
      hasMore = revocations.hasMore && revocations.next > since
    }
  }
}
