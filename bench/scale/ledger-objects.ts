import { serialize } from 'node:v8'
import { Collector } from '@latchkey/worker/stores/ledger/collector'
import { ledgerOf } from '@latchkey/worker/stores/ledger/methods'
import type { Place as LedgerPlace, Region } from '@latchkey/worker/stores/ledger/placement'
import type { Ledger } from '@latchkey/worker/stores/ledger/rules'
import { decide } from '@latchkey/worker/stores/ledger/rules'
import type { RevocationLines } from '@latchkey/worker/stores/ledger/types'
import { CountingRows } from './counting-rows.js'
import { SENDS_A_MEGABYTE, WRITES } from './extent.js'
import type { Network, Place } from './network.js'
import { PerSecond, Samples } from './samples.js'
import type { World } from './world.js'

/** A client that counts the bytes that it receives. */
export interface Caller {
  readonly place: Place
  /** Bytes that were received from objects. */
  received: number
}

/** A Durable Object with the ledger's rules, in one place, which answers one call after the other. */
export class LedgerObject {
  readonly place: Place
  readonly rows: CountingRows
  readonly calls: PerSecond
  readonly looks: PerSecond
  readonly rowsWritten: PerSecond
  /** The load, in calls that write nothing: of the calls and of sending their answers. */
  readonly work: PerSecond
  /** How long calls wait for their turn, with the call itself. Milliseconds. */
  readonly turns = new Samples()
  readonly #world: World
  readonly #callTime: number
  #busyUntil = 0
  /** Is every call refused? */
  isFailing = false

  constructor(world: World, place: Place, callTime: number) {
    this.#world = world
    this.place = place
    this.#callTime = callTime
    this.rows = new CountingRows(world.now)
    this.calls = new PerSecond(world.now)
    this.looks = new PerSecond(world.now)
    this.rowsWritten = new PerSecond(world.now)
    this.work = new PerSecond(world.now)
  }

  async answer(
    name: keyof Ledger,
    given: readonly unknown[],
  ): Promise<{ answer: unknown; bytes: number }> {
    await this.#world.sleep(this.#takeTurn())
    if (this.isFailing) throw new Error('The object fails.')
    const time = Math.floor(this.#world.now() / 1000)
    const before = this.rows.written
    const answer = decide(name, this.rows, time, given)
    const written = this.rows.written - before
    if (written > 0) this.#work(WRITES - 1)
    if (name !== 'revokedSince') {
      this.rowsWritten.add(written)
      return { answer, bytes: 0 }
    }
    this.looks.add()
    const bytes = serialize(answer).length
    this.#work((bytes / 1e6) * SENDS_A_MEGABYTE)
    return { answer, bytes }
  }

  /** A look of an isolate that is not simulated: it takes as long as any. */
  answerOtherLook(): void {
    this.#takeTurn()
    this.looks.add()
  }

  /** A cut-off of a user outside the simulation. @param kept seconds */
  answerOtherCutoff(kept: number): void {
    this.#takeTurn()
    this.#work(WRITES - 1)
    this.rowsWritten.add(this.rows.countOther('cutoffs', kept))
  }

  /** @returns milliseconds until the call is done */
  #takeTurn(): number {
    const now = this.#world.now()
    this.calls.add()
    this.#work(1)
    this.turns.add(this.#busyUntil - now)
    return this.#busyUntil - now
  }

  /** The calls that come after it wait for it. @param calls that write nothing, for as long */
  #work(calls: number): void {
    this.work.add(calls)
    this.#busyUntil = Math.max(this.#world.now(), this.#busyUntil) + calls * this.#callTime
  }
}

interface CollectorParts {
  readonly make: () => Collector
  readonly isSimulated: (name: string) => boolean
  readonly received: () => number
}

/** A Durable Object that collects the endings of others: the real collector, which has no rows. */
export class CollectorObject {
  readonly place: Place
  readonly calls: PerSecond
  /** Bytes that it has received from objects. */
  readonly received: () => number
  #collector: Collector
  readonly #make: () => Collector
  readonly #world: World
  readonly #isSimulated: (name: string) => boolean

  constructor(world: World, place: Place, { make, isSimulated, received }: CollectorParts) {
    this.received = received
    this.#world = world
    this.#isSimulated = isSimulated
    this.place = place
    this.calls = new PerSecond(world.now)
    this.#make = make
    this.#collector = make()
  }

  /** It forgets all that it knew, as an object does that is moved. */
  startAnew(): void {
    this.#collector = this.#make()
  }

  async collect(...given: Parameters<Collector['since']>): Promise<RevocationLines> {
    this.calls.add()
    const [since, places, ...others] = given
    const known = places.filter(({ name }) => this.#isSimulated(name))
    if (known.length > 0) return this.#collector.since(since, known, ...others)
    // No simulated user is in these objects.
    const next = Math.floor(this.#world.now() / 1000) - 5
    return { seconds: [], users: [], next, hasMore: false }
  }
}

/** The region of an object. The simulation has no region in Africa or in the Middle East. */
const HINTS: Readonly<Record<Region, number>> = {
  enam: 0,
  wnam: 1,
  weur: 2,
  eeur: 2,
  me: 2,
  afr: 2,
  apac: 3,
  sam: 4,
  oc: 5,
}

interface Parts {
  /** Milliseconds of an object's time for a call that writes nothing. */
  readonly callTime: number
  /** For each number of objects, how many are simulated, the first ones; absent: all. */
  readonly simulated?: number
  /** One that is simulated stands for so many; absent: 1. */
  readonly people?: number
}

/** The ledger's objects as a Durable Object namespace: each is made when it is first asked for. */
export class LedgerObjects {
  readonly collectors = new Map<string, CollectorObject>()
  readonly #objects = new Map<string, LedgerObject>()
  readonly #world: World
  readonly #network: Network
  readonly #parts: Parts

  constructor(world: World, network: Network, parts: Parts) {
    this.#world = world
    this.#network = network
    this.#parts = parts
  }

  get all(): readonly LedgerObject[] {
    return [...this.#objects.values()]
  }

  /** Is this object simulated, or one of the many others? */
  isSimulated(name: string): boolean {
    const { simulated } = this.#parts
    return simulated === undefined || name === 'ledger' || indexOf(name) < simulated
  }

  named(name: string): LedgerObject | undefined {
    return this.#objects.get(name)
  }

  at({ name, region }: LedgerPlace): LedgerObject {
    const known = this.#objects.get(name)
    if (known) return known
    const place = region ? this.#network.nearest(HINTS[region]) : this.#network.middle
    const object = new LedgerObject(this.#world, place, this.#parts.callTime)
    this.#objects.set(name, object)
    return object
  }

  /** What `durableLedger` and `collectedRevocations` take: they call no other method of a namespace. */
  namespaceFor(caller: Caller): DurableObjectNamespace<never> {
    const namespace = {
      idFromName: (name: string) => name,
      get: (name: string, hint?: { locationHint: Region }) =>
        name.startsWith('endings-')
          ? this.#collectorFor(caller, name, hint?.locationHint)
          : this.#ledgerFor(caller, { name, ...(hint ? { region: hint.locationHint } : {}) }),
    }
    return namespace as unknown as DurableObjectNamespace<never>
  }

  #ledgerFor(caller: Caller, place: LedgerPlace): Ledger {
    if (!this.isSimulated(place.name)) return this.#elsewhere
    const object = this.at(place)
    return ledgerOf((name) => async (...given) => {
      const ask = () => object.answer(name, given)
      const { answer, bytes } = await this.#network.call(caller.place, object.place, ask)
      caller.received += bytes
      return answer
    })
  }

  #collectorFor(caller: Caller, name: string, region: Region | undefined) {
    const known = this.collectors.get(name)
    const object = known ?? this.#makeCollector(name, region)
    this.collectors.set(name, object)
    return {
      collect: async (...given: Parameters<Collector['since']>) => {
        const ask = async () => {
          const answer = await object.collect(...given)
          return { answer, bytes: this.#bytesOf(answer) }
        }
        const { answer, bytes } = await this.#network.call(caller.place, object.place, ask)
        caller.received += bytes
        return answer
      },
    }
  }

  /** For each simulated user. All of them share the fixed part of an answer. */
  #bytesOf(answer: RevocationLines): number {
    const { users, seconds } = answer
    const lines = seconds.reduce((length, [, sids]) => length + sids.length + 1, 0)
    const ofPeople = lines + (users.length > 0 ? serialize(users).length : 0)
    return ofPeople + (serialize(answer).length - ofPeople) / (this.#parts.people ?? 1)
  }

  /** It is wherever it was first asked for, or in its region. */
  #makeCollector(name: string, region: Region | undefined): CollectorObject {
    const group = Number(name.split('-')[2])
    const replica = Number(name.split('-').at(-1))
    const { places, middle } = this.#network
    const near = region ? this.#network.within(HINTS[region]) : places
    const place = near[(group + 7 * replica) % near.length] ?? middle
    const itself: Caller = { place, received: 0 }
    const ask = (member: LedgerPlace, since: number) =>
      this.#ledgerFor(itself, member).revokedSince(since)
    return new CollectorObject(this.#world, place, {
      make: () => new Collector(ask, this.#world.now),
      isSimulated: (name) => this.isSimulated(name),
      received: () => itself.received,
    })
  }

  /** The answer of the other objects: they have no news of simulated users. */
  readonly #elsewhere = ledgerOf((name) => async () => {
    const next = Math.floor(this.#world.now() / 1000) - 5
    return name === 'revokedSince' ? { sessions: [], users: [], next, hasMore: false } : true
  })
}

/** Which of its number an object is: `ledger-weur-64-3` is the third. */
function indexOf(name: string): number {
  return name === 'ledger' ? 0 : Number(name.slice(name.lastIndexOf('-') + 1))
}
