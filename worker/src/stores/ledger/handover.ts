import type { LedgerDocument } from '../ports.js'
import { homeOfDocument, layoutOf, type Place, placeOfName, placesOf } from './placement.js'
import { DOCUMENTS_HANDOVER, type Tables } from './rows.js'
import { TOMBSTONE } from './rules.js'
import type { SqliteRows } from './sqlite-rows.js'

/**
 * Of each kind so many other objects are called in one step: all together stay below what the free plan allows
 * one invocation.
 */
const BATCH = 20
/** After a failure, and before objects that are not done are asked again. Milliseconds. */
const PAUSE = 10_000
/** The interval of looks at whether an object is in use. Milliseconds. */
const REST = 60 * 60 * 1000
/** That an object is called is noted so often. Seconds. */
const NOTED = 24 * 60 * 60
/** An object that was not called for so long is in use no more. Seconds. */
const FORGOTTEN = 30 * 24 * 60 * 60

/** The calls that a handover makes. */
export interface OtherObjects {
  /** Has an object follow what was decided here. It may know better. */
  follow(place: Place, key: string, document: LedgerDocument): Promise<unknown>
  /** Tells an object of the same number to hand over too. @returns is anything left there? */
  tell(place: Place): Promise<boolean>
}

type State = Tables['handovers']

/**
 * How an object of an old number hands its documents over to those of a new one, since documents have no end
 * that could be waited for. It is told once a minute, as long as both numbers are listed, and goes on by its alarm, also
 * when it is told no more. The first object of a number tells the others.
 *
 * A copy stays here for those who know the old number alone, and goes when nobody has called for a month.
 */
export class Handover {
  readonly #rows: SqliteRows
  readonly #others: (count: number) => OtherObjects
  #seen = 0

  /** @param others the calls, for a handover to so many objects */
  constructor(rows: SqliteRows, others: (count: number) => OtherObjects) {
    this.#rows = rows
    this.#others = others
  }

  /**
   * Begins to hand over, or goes on.
   *
   * @param from the number of objects of which this is one: the first, which tells the others; 1 for another one
   * @param to the new number
   * @param now seconds since the epoch
   * @returns is anything left?
   */
  told(from: number, to: number, now: number): boolean {
    const known = this.#state
    const others = from - 1
    const isGoingOn = known?.count === to && (others === 0 || known.others === others)
    if (!isGoingOn) {
      const begun = { count: to, after: '', others, next: others, behind: 0 }
      this.#write({ ...begun, seen: now, expires: null })
    }
    return this.#isLeft
  }

  /** Notes that the object is in use. @param now seconds since the epoch */
  noteCall(now: number): void {
    if (Math.abs(now - this.#seen) < NOTED) return
    this.#seen = now
    const known = this.#state
    if (known && now - known.seen >= NOTED) this.#write({ ...known, seen: now })
  }

  /**
   * Does a part of the work.
   *
   * @param now seconds since the epoch
   * @returns the milliseconds after which there is more to do; `undefined`: nothing is, for good
   */
  async step(now: number): Promise<number | undefined> {
    const state = this.#state
    if (!state) return undefined
    const isIdle = !this.#isLeft
    if (isIdle && now - state.seen <= FORGOTTEN) return REST
    const others = this.#others(state.count)
    if (isIdle) return this.#retire(others, state, now)
    const [isGiven, areTold] = await Promise.all([
      this.#giveSome(others, state, now),
      this.#tellSome(others, state),
    ])
    if (!this.#isLeft) return REST
    return isGiven && areTold ? 0 : PAUSE
  }

  get #state(): State | undefined {
    return this.#rows.get('handovers', DOCUMENTS_HANDOVER)
  }

  #write(state: State): void {
    this.#rows.put('handovers', DOCUMENTS_HANDOVER, state)
  }

  /** Unless it was told of another number meanwhile. */
  #change(before: State, changes: Partial<State>): void {
    const known = this.#state
    if (known?.count === before.count && known.others === before.others) {
      this.#write({ ...known, ...changes })
    }
  }

  get #isLeft(): boolean {
    const known = this.#state
    if (!known) return false
    const isAsking = known.next > 0
    return known.after !== null || isAsking || this.#rows.after('unhanded', '', 1).length > 0
  }

  /** @returns did every call succeed? */
  async #giveSome(others: OtherObjects, state: State, now: number): Promise<boolean> {
    const { after } = state
    const turn = after === null ? [] : this.#rows.after('documents', after, BATCH)
    const again = turn.length > 0 ? [] : this.#rows.after('unhanded', '', BATCH)
    const given = await Promise.all(
      [...turn, ...again].map((key) => this.#give(others, state, key, now)),
    )
    if (after !== null) this.#change(state, { after: turn.at(-1) ?? null })
    return given.every(Boolean)
  }

  async #give(others: OtherObjects, { count }: State, key: string, now: number): Promise<boolean> {
    const place = placeOfName(layoutOf(count), homeOfDocument(key))
    const document = this.#rows.get('documents', key)
    if (!document || (document.expires !== null && document.expires <= now)) {
      this.#rows.delete('unhanded', key)
      return true
    }
    // Who was forgotten meanwhile is forgotten there as well, but for what is known for a day as deleted.
    const gone = { version: document.version + 1, content: null }
    try {
      await others.follow(place, key, document)
      const found = this.#rows.get('documents', key)
      if (!found) await others.follow(place, key, gone)
      if (!found || found.version === document.version) this.#rows.delete('unhanded', key)
      return true
    } catch {
      // It may have arrived all the same.
      const isGone = !this.#rows.get('documents', key)
      if (isGone) this.#rows.put('documents', key, { ...gone, expires: now + TOMBSTONE })
      this.#rows.put('unhanded', key, { expires: null })
      return false
    }
  }

  /** @returns is none of those that were asked behind? */
  async #tellSome(others: OtherObjects, state: State): Promise<boolean> {
    const { others: all, next, behind } = state
    if (next === 0) return true
    const places = placesOf(layoutOf(all + 1))
    const asked = places.slice(Math.max(1, next + 1 - BATCH), next + 1)
    const answers = asked.map((place) => others.tell(place).catch(() => true))
    const isBehind = (await Promise.all(answers)).includes(true)
    const rest = next - asked.length
    const wasBehind = isBehind || behind === 1
    // Once all have been told they are asked again until none has anything left.
    const isRound = rest === 0 && wasBehind
    this.#change(
      state,
      isRound ? { next: all, behind: 0 } : { next: rest, behind: wasBehind ? 1 : 0 },
    )
    return !isRound
  }

  /** The copies of an object that is in use no more, some at a time, each after its last look. */
  async #retire(others: OtherObjects, state: State, now: number): Promise<number | undefined> {
    const keys = this.#rows.after('documents', '', BATCH)
    if (keys.length === 0) {
      this.#rows.delete('handovers', DOCUMENTS_HANDOVER)
      return undefined
    }
    const given = await Promise.all(keys.map((key) => this.#give(others, state, key, now)))
    if (this.#state?.seen !== state.seen) return REST
    if (!given.every(Boolean)) return PAUSE
    for (const key of keys) this.#rows.delete('documents', key)
    return 0
  }
}
