import { isMissing } from './answers.js'
import { layoutOf, type Place, placeOfName, placesOf } from './placement.js'
import {
  ANNOUNCED,
  DOCUMENTS_RESHARD,
  documentIn,
  HANDED_FROM,
  homeOfDocument,
  type Tables,
} from './rows.js'
import type { SqliteRows } from './sqlite-rows.js'
import type { LedgerDocument } from './types.js'

/**
 * The number of other objects that one step calls for each kind: all calls together stay below the
 * free plan's limit for one invocation.
 */
const BATCH = 20
/** How many other objects a step announces it to. */
const ANNOUNCEMENTS = 8
/** After a failure, and before objects that are not done are asked again. Milliseconds. */
const PAUSE = 10_000
/** The interval of looks at whether an object is in use. Milliseconds. */
const REST = 60 * 60 * 1000
/** That an object is called is noted so often. Seconds. */
const NOTED = 24 * 60 * 60
/** An object without a call for this long is no longer in use. Seconds. */
const FORGOTTEN = 30 * 24 * 60 * 60
/** An object of a new number knows for so long that one of an old number may have copies. Seconds. */
const REMEMBERED = 3 * FORGOTTEN

/** The calls that a resharding makes. */
export interface OtherObjects {
  /** Has an object follow a decision of this one. It may know better. */
  follow(place: Place, key: string, document: LedgerDocument): Promise<unknown>
  /** Tells an object of the same number to hand over too. @returns is anything left there? */
  reshard(place: Place): Promise<boolean>
  /** Tells an object of the new number that so many others hand documents over to it. */
  announce(place: Place, from: number): Promise<unknown>
}

type State = Tables['handovers']

/**
 * How an object of an old number hands its documents over to the objects of a new one, since
 * documents have no end that could be waited for. It is announced once a minute, as long as both
 * numbers are listed, and goes on by its alarm, also without further announcements. The first
 * object of a number announces it to the others.
 *
 * A copy stays here for isolates that know only the old number. After the handover the copy is no
 * longer read, and it is deleted when no call has come for a month. Until then the new objects know
 * of it, so that they can have it forgotten.
 */
export class Resharding {
  readonly #rows: SqliteRows
  readonly #others: (count: number) => OtherObjects
  #seen = 0

  /** @param others the calls, for a resharding to so many objects */
  constructor(rows: SqliteRows, others: (count: number) => OtherObjects) {
    this.#rows = rows
    this.#others = others
  }

  /**
   * Begins to hand over, or goes on.
   *
   * @param from the number of objects of which this is the first, which tells the others; 0 for another one, and 1
   *   from a version that knows no 0
   * @param to the new number
   * @param now seconds since the epoch
   * @returns is anything left?
   */
  start(from: number, to: number, now: number): boolean {
    const state = this.#state
    const others = from - 1
    const isGoingOn = state?.count === to && (others < 1 || state.others === others)
    if (!isGoingOn) {
      const begun = { count: to, after: '', others, next: Math.max(0, others), behind: 0 }
      this.#write({ ...begun, seen: now, expires: null })
    }
    return this.#isLeft
  }

  /** Notes that the object is in use. @param now seconds since the epoch */
  noteCall(now: number): void {
    if (Math.abs(now - this.#seen) < NOTED) return
    this.#seen = now
    const state = this.#state
    if (state && now - state.seen >= NOTED) this.#write({ ...state, seen: now })
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
    const others = this.#others(state.count)
    if (isIdle && now - state.seen > FORGOTTEN) return this.#retire()
    const announced = await this.#announce(others, state, now)
    if (announced !== undefined) return announced
    if (isIdle) return REST
    const [isGiven, areNotified] = await Promise.all([
      this.#giveSome(others, state, now),
      this.#notifySome(others, state),
    ])
    if (!this.#isLeft) return REST
    return isGiven && areNotified ? 0 : PAUSE
  }

  get #state(): State | undefined {
    return this.#rows.get('handovers', DOCUMENTS_RESHARD)
  }

  #write(state: State): void {
    this.#rows.put('handovers', DOCUMENTS_RESHARD, state)
  }

  /** Unless it has heard of another number meanwhile. */
  #change(before: State, changes: Partial<State>): void {
    const state = this.#state
    if (state?.count === before.count && state.others === before.others) {
      this.#write({ ...state, ...changes })
    }
  }

  get #isLeft(): boolean {
    const state = this.#state
    if (!state) return false
    const isAsking = state.next > 0
    return state.after !== null || isAsking || this.#rows.after('unhanded', '', 1).length > 0
  }

  /** @returns did every call succeed? */
  async #giveSome(others: OtherObjects, state: State, now: number): Promise<boolean> {
    const { after } = state
    const turn = after === null ? [] : this.#rows.after('documents', after, BATCH)
    const retries = turn.length > 0 ? [] : this.#rows.after('unhanded', '', BATCH)
    const results = await Promise.all(
      [...turn, ...retries].map((key) => this.#give(others, state, key, now)),
    )
    if (after !== null) this.#change(state, { after: turn.at(-1) ?? null })
    return results.every(Boolean)
  }

  async #give(others: OtherObjects, { count }: State, key: string, now: number): Promise<boolean> {
    const place = placeOfName(layoutOf(count), homeOfDocument(key))
    const document = documentIn(this.#rows, now, key)
    if (!document) {
      this.#rows.delete('unhanded', key)
      return true
    }
    try {
      await others.follow(place, key, document)
      // It may have been changed meanwhile, or forgotten, which leaves a newer version as well.
      const row = this.#rows.get('documents', key)
      if (!row || row.version === document.version) this.#rows.delete('unhanded', key)
      return true
    } catch {
      this.#rows.put('unhanded', key, { expires: null })
      return false
    }
  }

  /** @returns true if none of the objects that it asked is behind */
  async #notifySome(others: OtherObjects, state: State): Promise<boolean> {
    const { others: all, next, behind } = state
    if (next === 0) return true
    const places = placesOf(layoutOf(all + 1))
    const asked = places.slice(Math.max(1, next + 1 - BATCH), next + 1)
    const answers = asked.map((place) => others.reshard(place).catch(() => true))
    const isBehind = (await Promise.all(answers)).includes(true)
    const rest = next - asked.length
    const wasBehind = isBehind || behind === 1
    // Once all have heard they are asked again until none has anything left.
    const isRound = rest === 0 && wasBehind
    this.#change(
      state,
      isRound ? { next: all, behind: 0 } : { next: rest, behind: wasBehind ? 1 : 0 },
    )
    return !isRound
  }

  /**
   * Has the objects of the new number know of this one, some at a time: before anything is given to them, and
   * once more while this number is in use.
   *
   * @returns the milliseconds after which there is more to do; `undefined`: all know
   */
  async #announce(others: OtherObjects, state: State, now: number): Promise<number | undefined> {
    const { count } = state
    // The first object of a number does it for all.
    if (state.others < 0) return undefined
    const known = this.#rows.get('handovers', ANNOUNCED)
    const isGoingOn = known?.count === count && (known.next > 0 || now - known.seen < FORGOTTEN)
    const next = isGoingOn ? known.next : count
    if (next === 0) return undefined
    const first = Math.max(0, next - ANNOUNCEMENTS)
    const places = placesOf(layoutOf(count)).slice(first, next)
    try {
      await Promise.all(places.map((place) => others.announce(place, state.others + 1)))
    } catch (error) {
      // Objects of the previous version note nothing, and may be there for days. Deletions must be
      // handed over within one day, so this does not wait for them: they hear when they run this
      // version.
      return isMissing(error) ? undefined : PAUSE
    }
    const none = { after: null, others: 0, behind: 0 }
    const row = { ...none, count, next: first, seen: now, expires: now + REMEMBERED }
    this.#rows.put('handovers', ANNOUNCED, row)
    return first > 0 ? 0 : undefined
  }

  /** Notes that objects of another number hand documents over to this one. @param now seconds since the epoch */
  announced(from: number, now: number): void {
    const none = { after: null, others: 0, next: 0, behind: 0 }
    const note = { ...none, count: from, seen: now, expires: now + REMEMBERED }
    this.#rows.put('handovers', HANDED_FROM + from, note)
  }

  /**
   * Deletes the copies of an object that is no longer in use, some at a time. Everything was handed
   * over when it was written: what the new objects lack was deleted there since.
   */
  #retire(): number | undefined {
    const keys = this.#rows.after('documents', '', BATCH)
    for (const key of keys) this.#rows.delete('documents', key)
    if (keys.length > 0) return 0
    for (const row of [ANNOUNCED, DOCUMENTS_RESHARD]) this.#rows.delete('handovers', row)
    return undefined
  }
}
