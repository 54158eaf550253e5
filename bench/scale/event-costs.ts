import { placesOf } from '@latchkey/worker/stores/ledger/placement'
import type { Design } from './design.js'
import { Isolate, type KvCounts, type SimulatedSession } from './isolate.js'
import { LedgerObjects } from './ledger-objects.js'
import { Network } from './network.js'
import { type Size, sizes } from './sizes.js'
import { surround } from './surroundings.js'
import { World } from './world.js'

/** What one event costs, with nothing else going on. */
export interface EventCost {
  /** Calls to objects, of the sixteen that there are. */
  readonly calls: number
  readonly rows: number
  readonly kv: KvCounts
}

/** Events in an isolate that has just looked for endings. */
export type Event =
  | 'a sign-in by OAuth'
  | 'a renewal'
  | 'an extension'
  | 'a sign-out'
  | 'signing out everywhere, with 3 sessions'
  | 'a look of an isolate'

const OBJECTS = 16

export async function eventCosts(design: Design): Promise<Readonly<Record<Event, EventCost>>> {
  const now = () => 1_793_491_200
  const session = (): SimulatedSession => {
    const times = { auth_time: now() - 600, sexp: now() + 86_400 }
    return { sid: 'a'.repeat(22), sub: 'b'.repeat(22), ...times }
  }
  const costs: Record<Event, EventCost> = {
    'a sign-in by OAuth': await costOf(design, (isolate) => isolate.signIn(session())),
    'a renewal': await costOf(design, (isolate) => isolate.renew(session(), false)),
    'an extension': await costOf(design, (isolate) => isolate.renew(session(), true)),
    'a sign-out': await costOf(design, (isolate) => isolate.signOut(session())),
    'signing out everywhere, with 3 sessions': await costOf(design, (isolate) => {
      const others = ['c', 'd'].map((letter) => ({ ...session(), sid: letter.repeat(22) }))
      return isolate.signOutEverywhere([session(), ...others])
    }),
    'a look of an isolate': await costOf(
      design,
      async (isolate) => isolate.revocations.refresh(),
      true,
    ),
  }
  return costs
}

async function pass(world: World, work: Promise<unknown> | undefined): Promise<void> {
  await world.pass(2)
  await work
}

function costOf(
  design: Design,
  event: (isolate: Isolate) => Promise<unknown>,
  isLook = false,
): Promise<EventCost> {
  return World.run(1, async (world) => {
    const size: Size = { ...(sizes[0] as Size), layout: { count: OBJECTS, regions: [] } }
    const network = new Network(world, size.locations, 0)
    const onError = (error: unknown) => {
      throw error
    }
    const around = await surround({ world, network, size, onError })
    const objects = new LedgerObjects(world, network, { callTime: 1 })
    for (const place of placesOf(size.layout)) objects.at(place)
    const kv: KvCounts = { reads: 0, writes: 0, deletes: 0, lists: 0 }
    const isolate = new Isolate(around, { design, objects, place: network.middle, kv })
    const total = (count: (object: (typeof objects.all)[number]) => number) =>
      objects.all.reduce((sum, object) => sum + count(object), 0)
    const calls = () => total((object) => object.calls.total)
    // The look at the endings, which every event needs first, is an event of its own.
    if (!isLook) await pass(world, isolate.revocations.refresh())
    const before = calls()
    await pass(world, event(isolate))
    return { calls: calls() - before, rows: total(({ rows }) => rows.written), kv }
  })
}
