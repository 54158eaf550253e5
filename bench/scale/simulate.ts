import { MEMBERS } from '@latchkey/worker/stores/ledger/collector'
import { placesOf } from '@latchkey/worker/stores/ledger/placement'
import type { AppFeed } from './app-feed.js'
import { AppPanel } from './app-panel.js'
import type { Design } from './design.js'
import { looksAtCollector, readsOfIsolate, today } from './designs/today.js'
import { type Extent, wholeExtent } from './extent.js'
import { Isolate, type KvCounts } from './isolate.js'
import { LedgerObjects } from './ledger-objects.js'
import { Network } from './network.js'
import { Population } from './population.js'
import { Samples } from './samples.js'
import { habits, objectsOf, type Size } from './sizes.js'
import { type Surroundings, surround } from './surroundings.js'
import { Watch } from './watch.js'
import { World } from './world.js'

/** Seconds in which an app that starts reads the feed for the first time. */
const FIRST_LOOK = 4
/** Seconds before anything is measured: looks and feeds have found their rhythm. */
const WARM_UP = 20

/** The results of a run, for the whole deployment unless a member says otherwise. */
export interface Figures {
  /** A second, at each object. */
  readonly calls: Samples
  /** The mean of the object that is asked most. */
  readonly busiest: number
  readonly looks: Samples
  /** The part of its time for which the object works that is asked most, if a call that writes nothing takes 1 ms. */
  readonly busy: number
  /** Calls a second to all collectors together. */
  readonly toCollectors: number
  /** Bytes a second that a collector receives of its objects. */
  readonly collectorReceives: number
  readonly rowsWritten: number
  /** New rows a second at each object, which are deleted one day. */
  readonly rowsAdded: number
  /** Rows in an object in the long run: the new ones of a second, by how long they are kept. */
  readonly rowsKept: number
  /** What a call takes at its object, in milliseconds. */
  readonly turns: Samples
  readonly renewals: number
  readonly otherCalls: number
  readonly kvReads: number
  readonly kvWrites: number
  /** Endings that an isolate knows. */
  readonly revocations: number
  /** Bytes that an isolate reads when it starts. */
  readonly firstLook: number
  /** Bytes a second that an isolate, and an app, receive of endings. */
  readonly isolateBytes: number
  readonly appBytes: number
  /** Questions a second of an app about its own sessions. */
  readonly appQuestions: number
  /** Endings that an app knows. */
  readonly appRevocations: number
  /** Bytes that an app reads when it starts. */
  readonly firstFeed: number
  /** From the answer of a sign-out until an end is refused, in milliseconds. */
  readonly seenByIsolates: Samples
  readonly seenByApps: Samples
  /** Endings that were not seen within {@link Watch.LIMIT} where they should be. */
  readonly missed: number
  /** Waits of a read for endings in the Worker, and for anything in apps: milliseconds, 0 for none. */
  readonly workerWaits: Samples
  readonly appWaits: Samples
  /** The same for the first read of a visit, with an ended token. */
  readonly firstWaits: Samples
  /** What a renewal takes in the Worker, in milliseconds. */
  readonly renewalTimes: Samples
  /** The same, for each of the network's regions. */
  readonly timesByRegion: ReadonlyMap<number, Samples>
  readonly failures: number
}

/** Runs a deployment of a size with a design. The same extent gives the same figures. */
export function simulate(
  size: Size,
  design: Design,
  extent: Extent = wholeExtent,
): Promise<Figures> {
  return World.run(extent.seed, (world) => simulateIn(world, size, design, extent))
}

async function simulateIn(
  world: World,
  size: Size,
  design: Design,
  extent: Extent,
): Promise<Figures> {
  let failures = 0
  const network = new Network(world, size.locations, extent.loss)
  const around = await surround({ world, network, size, onError: () => void failures++ })
  const perNumber = Math.ceil(size.layout.count / size.people)
  const parts = { callTime: extent.callTime, simulated: perNumber, people: size.people }
  const objects = new LedgerObjects(world, around.network, parts)
  for (const place of placesOf(size.layout)) if (objects.isSimulated(place.name)) objects.at(place)
  const kv: KvCounts = { reads: 0, writes: 0, deletes: 0, lists: 0 }
  const { places } = around.network
  const simulated = Math.min(extent.isolates, size.isolates)
  const isolates = Array.from({ length: simulated }, (_, index) => {
    const place =
      places[Math.floor(((index + 0.5) / simulated) * places.length)] ?? around.network.middle
    return new Isolate(around, { design, objects, place, kv })
  })
  const watch = new Watch(world)
  const panel = new AppPanel(around, { design, extent, isolates, watch })
  const population = new Population(around, { isolates, objects, watch, onError: around.onError })
  population.prefill()
  await panel.begin()
  population.begin(panel.visitors)
  const workerWaits = new Samples()
  for (const isolate of isolates) readAt(isolate, around, watch, workerWaits)
  const others = design.otherLooks(size, simulated)
  world.often(others, () => {
    for (const object of objects.all) object.answerOtherLook()
  })
  keepBusy(objects, around)

  const renewals = () => population.renewals + panel.renewals
  // An extension is two calls besides that of the renewal.
  const otherCalls = () => population.otherCalls + 2 * panel.extensions

  await world.pass(FIRST_LOOK)
  const ofApps = (count: (told: AppFeed) => number) =>
    sum(panel.told.map(count)) / Math.max(1, extent.apps)
  const firstFeed = ofApps(({ bytes }) => bytes)
  const firstLook = (sum(isolates.map(({ received }) => received)) / isolates.length) * size.people
  await world.pass(WARM_UP)
  const from = world.now()
  const before = {
    ...kv,
    renewals: renewals(),
    other: otherCalls(),
  }
  const received = sum(isolates.map((isolate) => isolate.received))
  const appBytes = ofApps(({ bytes }) => bytes)
  const appQuestions = ofApps(({ questions }) => questions)
  const ofCollectors = () =>
    sum([...objects.collectors.values()].map(({ received }) => received())) /
    Math.max(1, objects.collectors.size)
  const receivedByCollectors = ofCollectors()
  const added = sum(objects.all.map(({ rows }) => rows.added))
  const kept = sum(objects.all.map(({ rows }) => rows.keptSeconds))
  watch.isOpen = true
  workerWaits.clear()
  panel.waits.clear()
  panel.firstWaits.clear()
  population.renewalTimes.clear()
  population.timesByRegion.clear()
  for (const object of objects.all) object.turns.clear()
  failures = 0
  await world.pass(extent.seconds)
  watch.isOpen = false
  const rate = (count: number) => (count / extent.seconds) * size.people
  const { groups } = objectsOf(size)
  const perObject = objects.all.length * extent.seconds
  const revocations =
    Math.max(...isolates.map(({ revocations }) => revocations.entries)) * size.people
  const figures = {
    toCollectors:
      groups === 0 || design !== today
        ? 0
        : (size.isolates / (3 + 1 / readsOfIsolate(size))) * groups,
    collectorReceives: rate(ofCollectors() - receivedByCollectors),
    calls: merged(objects.all.map((object) => object.calls.since(from))),
    busiest: Math.max(...objects.all.map((object) => object.calls.since(from).mean)),
    busy: Math.max(...objects.all.map(({ work }) => work.since(from).mean)) / 1_000,
    looks: merged(objects.all.map((object) => object.looks.since(from))),
    rowsWritten: merged(objects.all.map((object) => object.rowsWritten.since(from))).mean,
    rowsAdded: (sum(objects.all.map(({ rows }) => rows.added)) - added) / perObject,
    rowsKept: (sum(objects.all.map(({ rows }) => rows.keptSeconds)) - kept) / perObject,
    turns: merged(objects.all.map(({ turns }) => turns)),
    renewals: rate(renewals() - before.renewals),
    otherCalls: rate(otherCalls() - before.other),
    kvReads: rate(kv.reads - before.reads),
    kvWrites: rate(kv.writes + kv.deletes - before.writes - before.deletes),
    revocations,
    firstLook,
    isolateBytes:
      ((sum(isolates.map((isolate) => isolate.received)) - received) /
        isolates.length /
        extent.seconds) *
      size.people,
    appBytes: (ofApps(({ bytes }) => bytes) - appBytes) / extent.seconds,
    appQuestions: (ofApps(({ questions }) => questions) - appQuestions) / extent.seconds,
    appRevocations: ofApps((told) => told.entries(world.now())),
    firstFeed,
    workerWaits: workerWaits.copy(),
    appWaits: panel.waits.copy(),
    firstWaits: panel.firstWaits.copy(),
    renewalTimes: population.renewalTimes.copy(),
    timesByRegion: population.timesByRegion,
    failures,
  }
  // The very last endings still have to be seen, or count as missed.
  while (watch.isWaiting) await world.pass(1)
  panel.close()
  return {
    ...figures,
    seenByIsolates: watch.seen.isolate,
    seenByApps: watch.seen.app,
    missed: watch.missed,
  }
}

/** Reads at an isolate as often as people read, or so often that no look is late. */
function readAt(
  isolate: Isolate,
  { world, size }: Surroundings,
  watch: Watch,
  waits: Samples,
): void {
  const rate = Math.min(20, size.inUse / 2 / habits.betweenReads / size.isolates)
  const reader = watch.reader('isolate', {
    isRefused: (session) => isolate.revocations.has(session),
  })
  world.often(rate, async () => {
    const began = world.now()
    await isolate.revocations.refresh()
    waits.add(world.now() - began)
    reader.look()
  })
}

/** The other isolates ask the same collectors: none has to wait for what its objects say. */
function keepBusy({ collectors }: LedgerObjects, { world, size }: Surroundings): void {
  const between = 1_000 + 1_000 / looksAtCollector(size)
  if (!Number.isFinite(between)) return
  const places = placesOf(size.layout)
  const ask = () => {
    for (const [name, collector] of collectors) {
      const group = Number(name.split('-')[2])
      const members = places.slice(group * MEMBERS, (group + 1) * MEMBERS)
      const since = Math.floor(world.now() / 1000) - 6
      collector.collect(since, members).catch(() => {})
    }
    world.after(between, ask)
  }
  world.after(world.random() * between, ask)
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

function merged(samples: readonly Samples[]): Samples {
  const all = new Samples()
  for (const one of samples) all.addAll(one)
  return all
}
