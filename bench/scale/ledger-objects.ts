import { serialize } from 'node:v8'
import { ledgerOf } from '@latchkey/worker/stores/ledger/methods'
import { decide } from '@latchkey/worker/stores/ledger/rules'
import type { Ledger } from '@latchkey/worker/testing'
import { CountingRows } from './counting-rows.js'
import type { Network, Place } from './network.js'
import { PerSecond, Samples } from './samples.js'
import type { World } from './world.js'

/** Whoever counts the bytes that they receive. */
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
  /** How long calls wait for their turn, with the call itself. Milliseconds. */
  readonly turns = new Samples()
  readonly #world: World
  readonly #callTime: number
  #busyUntil = 0

  constructor(world: World, place: Place, callTime: number) {
    this.#world = world
    this.place = place
    this.#callTime = callTime
    this.rows = new CountingRows(world.now)
    this.calls = new PerSecond(world.now)
    this.looks = new PerSecond(world.now)
    this.rowsWritten = new PerSecond(world.now)
  }

  async answer(
    name: keyof Ledger,
    given: readonly unknown[],
  ): Promise<{ answer: unknown; bytes: number }> {
    await this.#world.sleep(this.#takeTurn())
    const time = Math.floor(this.#world.now() / 1000)
    if (name !== 'revokedSince') {
      const before = this.rows.written
      const answer = decide(name, this.rows, time, given)
      this.rowsWritten.add(this.rows.written - before)
      return { answer, bytes: 0 }
    }
    this.looks.add()
    const answer = decide(name, this.rows, time, given)
    return { answer, bytes: serialize(answer).length }
  }

  /** A look of an isolate that is not simulated: it takes as long as any. */
  answerOtherLook(): void {
    this.#takeTurn()
    this.looks.add()
  }

  /** A cut-off of somebody who is not simulated. @param kept seconds */
  answerOtherCutoff(kept: number): void {
    this.#takeTurn()
    this.rowsWritten.add(this.rows.countOther('cutoffs', kept))
  }

  /** @returns milliseconds until the call is done */
  #takeTurn(): number {
    const now = this.#world.now()
    this.calls.add()
    this.#busyUntil = Math.max(now, this.#busyUntil) + this.#callTime
    this.turns.add(this.#busyUntil - now)
    return this.#busyUntil - now
  }
}

/** The ledger's objects as a Durable Object namespace, for a caller in some place. */
export class LedgerObjects {
  readonly all: readonly LedgerObject[]
  readonly #network: Network

  /** @param callTime milliseconds of an object's time for each call */
  constructor(world: World, network: Network, count: number, callTime: number) {
    this.#network = network
    this.all = Array.from(
      { length: count },
      () => new LedgerObject(world, network.middle, callTime),
    )
  }

  /** What `durableLedger` takes: it calls no other method of a namespace. */
  namespaceFor(caller: Caller): DurableObjectNamespace<never> {
    const stubs = this.all.map((object) =>
      ledgerOf((name) => async (...given) => {
        const ask = () => object.answer(name, given)
        const { answer, bytes } = await this.#network.call(caller.place, object.place, ask)
        caller.received += bytes
        return answer
      }),
    )
    const namespace = {
      idFromName: (name: string) => (name === 'ledger' ? 0 : Number(name.split('-')[2])),
      get: (index: number) => stubs[index],
    }
    return namespace as unknown as DurableObjectNamespace<never>
  }
}
