import { MAX_NARROW } from '@latchkey/worker/stores/ledger/placement'
import type { Visitor } from './app-panel.js'
import type { Isolate, SimulatedSession } from './isolate.js'
import type { LedgerObjects } from './ledger-objects.js'
import { Samples } from './samples.js'
import { habits, TOKEN_MAX_AGE } from './sizes.js'
import type { Surroundings } from './surroundings.js'
import type { Watch } from './watch.js'

/** The Worker and apps renew a token in the last fifth of its life, at its next read. Seconds. */
const RENEWED_AFTER = TOKEN_MAX_AGE * 0.8

/**
 * How many sessions of an isolate stand for all that are in use there: a renewal costs the same for
 * each.
 */
const POOL = 500

/** A place among the sessions in use: when one is no longer used, another is. */
interface InUse {
  /** Near the person that uses it. */
  readonly isolate: Isolate
  /** When its visit ends, in milliseconds. */
  visitEnds: number
}

interface Parts {
  readonly isolates: readonly Isolate[]
  readonly objects: LedgerObjects
  readonly watch: Watch
  readonly onError: (error: unknown) => void
}

/** People who sign in, read, renew, sign out, and sign out everywhere: one of `size.people`. */
export class Population {
  renewals = 0
  /** Calls to the ledger but those of renewals and of looks. */
  otherCalls = 0
  readonly renewalTimes = new Samples()
  /** The same, for each of the network's regions. */
  readonly timesByRegion = new Map<number, Samples>()
  readonly #around: Surroundings
  readonly #parts: Parts
  #inUse = 0
  readonly #pools = new Map<Isolate, SimulatedSession[]>()
  #visitors: readonly Visitor[] = []

  constructor(around: Surroundings, parts: Parts) {
    this.#around = around
    this.#parts = parts
  }

  /** The endings before the run begins, so that lists are as long as they will be. */
  prefill(): void {
    const { world, size } = this.#around
    const { all } = this.#parts.objects
    const now = Math.floor(world.now() / 1000)
    const rate = (size.signIns * habits.signOuts) / size.people
    const { everywhere, othersEnded } = habits
    const everySecond = (rate * (1 + othersEnded / everywhere)) / all.length
    for (const { rows } of all) {
      let owed = 0
      for (let at = now - TOKEN_MAX_AGE - 60; at < now; at++) {
        for (owed += everySecond; owed >= 1; owed--) {
          rows.put('revoked', world.id(18), { at, expires: now + 2 * size.maxAge })
        }
      }
    }
    const cutoffs = (rate / everywhere) * (TOKEN_MAX_AGE + 60)
    for (let count = 0; count < cutoffs; count++) {
      const at = now - TOKEN_MAX_AGE - 60 + Math.floor((count / cutoffs) * (TOKEN_MAX_AGE + 60))
      const row = { until: at, kept: null, at, expires: now + 2 * size.maxAge }
      const sub = world.id()
      const [first] = all
      // If there are many objects, each has the cut-offs of its own people.
      if (this.#isWide) first?.rows.put('cutoffs', sub, row)
      else for (const { rows } of all) rows.put('cutoffs', sub, row)
    }
  }

  /** @param visitors users with sessions that another app reads */
  begin(visitors: readonly Visitor[]): void {
    const { world, size } = this.#around
    const { signIns, inUse, people } = size
    this.#visitors = visitors
    const count = Math.max(0, Math.round(inUse / people) - visitors.length)
    for (let index = 0; index < count; index++) {
      const interval = this.#untilRenewal()
      const left = world.random() * interval
      // Tokens and visits are of every age when the run begins.
      const visitEnds = this.#visitEnds() - (interval - left)
      const isolate = this.#isolate
      world.after(left, () => void this.#use({ isolate, visitEnds }))
    }
    this.#inUse = count
    const signOuts = signIns * habits.signOuts
    world.often(signIns / people, () => void this.#signIn())
    world.often(signOuts / people, () => void this.#signOut())
    const everywhere = signOuts / habits.everywhere
    world.often(everywhere / people, () => void this.#signOutEverywhere())
    // Each goes to every object: cut-offs of users outside the simulation are load on each, too.
    const toAll = this.#isWide ? 0 : everywhere * (1 - 1 / people)
    world.often(toAll, () => {
      for (const object of this.#parts.objects.all) object.answerOtherCutoff(2 * size.maxAge)
    })
  }

  async #use(place: InUse): Promise<void> {
    const { world, size } = this.#around
    const isNewVisit = world.now() >= place.visitEnds
    if (isNewVisit) place.visitEnds = this.#visitEnds()
    const isExtended = isNewVisit && size.isExtended
    const began = world.now()
    this.renewals++
    if (isExtended) this.otherCalls += 2
    await this.#attempt(() => place.isolate.renew(this.#used(place.isolate), isExtended))
    this.renewalTimes.add(world.now() - began)
    this.#timesFrom(place.isolate.place.region).add(world.now() - began)
    world.after(this.#untilRenewal(), () => void this.#use(place))
  }

  async #signIn(): Promise<void> {
    this.otherCalls++
    const isolate = this.#isolate
    await this.#attempt(() => isolate.signIn(this.#session(isolate)))
  }

  async #signOut(): Promise<void> {
    const index = Math.floor(this.#around.world.random() * (this.#inUse + this.#visitors.length))
    const [isolate, session] = await this.#leave(index)
    this.otherCalls++
    await this.#attempt(async () => {
      await isolate.signOut(session)
      this.#parts.watch.hasEnded(session)
    })
  }

  /** Takes a session out of use: another person signs in. */
  async #leave(index: number): Promise<readonly [Isolate, SimulatedSession]> {
    if (index < this.#inUse) {
      const isolate = this.#isolate
      return [isolate, this.#session(isolate)]
    }
    const visitor = this.#visitors[index - this.#inUse] as Visitor
    const { session } = visitor
    await visitor.leave()
    // Elsewhere: what the isolate near the app has ended itself it knows at once.
    return [this.#isolate, session]
  }

  async #signOutEverywhere(): Promise<void> {
    const isolate = this.#isolate
    const first = this.#session(isolate)
    const more = Array.from({ length: habits.othersEnded }, () => {
      return { ...first, sid: isolate.drawSid(first.sub) }
    })
    this.otherCalls += 3 + more.length
    await this.#attempt(async () => {
      await isolate.signOutEverywhere([first, ...more])
      this.#parts.watch.hasEnded(first)
    })
  }

  async #attempt(work: () => Promise<unknown>): Promise<void> {
    try {
      await work()
    } catch (error) {
      this.#parts.onError(error)
    }
  }

  /** A session that is in use near an isolate. */
  #used(isolate: Isolate): SimulatedSession {
    const pool = this.#pools.get(isolate) ?? []
    this.#pools.set(isolate, pool)
    const index = Math.floor(this.#around.world.random() * POOL)
    const known = pool[index]
    if (known) return known
    const session = this.#session(isolate)
    pool[index] = session
    return session
  }

  #session(isolate: Isolate): SimulatedSession {
    const { world, size } = this.#around
    const now = Math.floor(world.now() / 1000)
    // It was extended within its last day of use.
    const sexp = now + size.maxAge - (size.isExtended ? Math.floor(world.random() * 86_400) : 0)
    return { ...isolate.drawIds(), auth_time: now - 600, sexp }
  }

  #visitEnds(): number {
    return this.#around.world.now() + this.#around.world.exponential(habits.visit * 1000)
  }

  #untilRenewal(): number {
    return RENEWED_AFTER * 1000 + this.#around.world.exponential(habits.betweenReads * 1000)
  }

  #timesFrom(region: number): Samples {
    const known = this.timesByRegion.get(region) ?? new Samples()
    this.timesByRegion.set(region, known)
    return known
  }

  /** Is a cut-off in the person's own objects alone? */
  get #isWide(): boolean {
    const { count, regions } = this.#around.size.layout
    return count > MAX_NARROW || regions.length > 0
  }

  get #isolate(): Isolate {
    return this.#around.world.pick(this.#parts.isolates)
  }
}
