import { printColumns } from '../table.ts'
import type { Design } from './design.js'
import { direct, looksAtCollector, today } from './designs/today.js'
import { eventCosts } from './event-costs.js'
import { type Extent, wholeExtent } from './extent.js'
import { costOf, extras } from './extras.js'
import { bytesOfApp } from './memory.js'
import { REGIONS } from './network.js'
import { monthlyPrice } from './price.js'
import type { Samples } from './samples.js'
import { allStart, bytesSent, sending } from './sending.js'
import { type Figures, simulate } from './simulate.js'
import { asBefore, habits, objectsOf, type Size, sizes } from './sizes.js'

const designs: readonly Design[] = [today, direct]

/** An object's queue has no end if it works for more than this part of its time. */
const FULL = 1

/**
 * Prints what each event costs, and the figures of each design at each size.
 *
 * @param names of designs; none: as the service is today
 */
export async function printReport(names: readonly string[]): Promise<void> {
  const wanted = designs.filter(({ name }) => names.includes(name))
  for (const design of wanted.length > 0 ? wanted : [today]) {
    console.log(`\nWhat each event costs, ${design.name}: simulated, with 16 objects\n`)
    printColumns(
      ['', 'calls', 'rows', 'KV reads', 'writes', 'deletes', 'lists'],
      await costLines(design),
    )
    const found: (readonly [Size, Figures])[] = []
    for (const whole of sizes) {
      const size = design === today ? whole : asBefore(whole)
      found.push([size, await figuresOf(size, design)])
    }
    console.log(`\nEach second, ${design.name}\n`)
    printColumns(['', ...sizes.map(({ name }) => name)], linesOf(design, found))
    console.log('\nBesides, calls a second to each object and dollars a month\n')
    printColumns(['', ...sizes.map(({ name }) => name)], extraLines(found))
  }
  console.log(`
= is arithmetic on simulated figures; all else is simulated. Simulated are one person of so many as
the first line says, with as many objects fewer, ${wholeExtent.isolates} isolates and ${wholeExtent.apps} app servers one by one, and the looks of
all the others as load on the objects. What grows with the number of endings (bytes, entries) is
multiplied by the people that one stands for. Where an object has too much to do, delays and
waits are those of objects without a limit: in truth they have no end.`)
}

async function costLines(design: Design): Promise<string[][]> {
  const costs = Object.entries(await eventCosts(design))
  return costs.map(([event, { calls, rows, kv }]) => {
    return [event, ...[calls, rows, kv.reads, kv.writes, kv.deletes, kv.lists].map(number)]
  })
}

/** Large sizes are measured for a shorter time, since more happens in it. */
async function figuresOf(size: Size, design: Design): Promise<Figures> {
  const seconds = size.inUse < 1e5 ? 300 : size.inUse < 5e6 ? 60 : 20
  const extent: Extent = { ...wholeExtent, seconds }
  const offered = await simulate(size, design, { ...extent, callTime: 0 })
  return offered.busy < FULL ? simulate(size, design, extent) : offered
}

function linesOf(design: Design, found: readonly (readonly [Size, Figures])[]): string[][] {
  const line = (name: string, show: (figures: Figures, size: Size) => string): string[] => {
    return [name, ...found.map(([size, figures]) => show(figures, size))]
  }
  const isFull = ({ busy }: Figures) => (busy < FULL ? '' : ': too much')
  return [
    line('people for one that is simulated', (_, { people }) => number(people)),
    line(
      'isolates, locations',
      (_, { isolates, locations }) => `${number(isolates)}, ${locations}`,
    ),
    line(
      'objects, app servers',
      (_, size) => `${number(objectsOf(size).objects)}, ${number(size.apps)}`,
    ),
    line('renewals', ({ renewals }) => number(renewals)),
    line('other calls', ({ otherCalls }) => number(otherCalls)),
    line('KV reads', ({ kvReads }) => number(kvReads)),
    line('KV writes and deletes', ({ kvWrites }) => number(kvWrites)),
    line('calls to each object: mean, p99', (figures) => {
      return `${number(figures.calls.mean)}, ${number(figures.calls.quantile(0.99))}`
    }),
    line('  at the busiest', ({ busiest }) => number(busiest)),
    line('  how much of its time that one works', (figures) => {
      return `${number(100 * figures.busy)}%${isFull(figures)}`
    }),
    line('looks for endings among these', ({ looks }) => number(looks.mean)),
    line('= calls to each collector', ({ toCollectors }, size) => {
      return toCollectors === 0 ? '-' : number(looksAtCollector(size))
    }),
    line('= bytes that each collector sends', (figures, size) => {
      return figures.toCollectors === 0 ? '-' : bytes(bytesSent(figures, size))
    }),
    line('= the part of its time for which a collector sends', (figures, size) => {
      return `${number(100 * sending(figures, size))}%`
    }),
    line('bytes to an isolate that starts', ({ firstLook }) => bytes(firstLook)),
    line('= seconds until all know that start at once', (figures, size) => {
      return number(allStart(figures, size))
    }),
    line('= bytes that each collector receives', ({ collectorReceives, toCollectors }) =>
      toCollectors === 0 ? '-' : bytes(collectorReceives),
    ),
    line('rows written in each object', ({ rowsWritten }) => number(rowsWritten)),
    line('= rows in each object', ({ rowsKept }) => number(rowsKept)),
    line('time of a call at its object: p50, p99', (figures) => {
      return isFull(figures) === '' ? times(figures.turns, [0.5, 0.99]) : '-'
    }),
    line('revocations known at once', ({ revocations }) => number(revocations)),
    line('bytes of endings to an isolate', ({ isolateBytes }) => bytes(isolateBytes)),
    line('= their memory there', ({ revocations }) => bytes(design.bytesOfIsolate(revocations))),
    line('bytes of endings to an app server', ({ appBytes }) => bytes(appBytes)),
    line('  when it starts', ({ firstFeed }) => bytes(firstFeed)),
    line('  questions about its own sessions', ({ appQuestions }) => number(appQuestions)),
    line('= memory of endings and sessions there', ({ appRevocations, appQuestions }, size) =>
      bytes(bytesOfApp(appRevocations, appQuestions > 0 ? size.inUse / 2 / size.apps : 0)),
    ),
    line('an end is seen in isolates: p50, p99, worst', ({ seenByIsolates }) =>
      times(seenByIsolates),
    ),
    line('an end is seen in apps: p50, p99, worst', ({ seenByApps }) => times(seenByApps)),
    line('ends not seen within 20 s', ({ missed }) => number(missed)),
    line('reads in the Worker that wait for endings', ({ workerWaits }) => waits(workerWaits)),
    line('= reads in the Worker that wait for a renewal', ({ renewals }, { inUse }) => {
      return `${number((100 * renewals) / (inUse / habits.betweenReads))}%`
    }),
    line('reads in apps that wait, within a visit: p50, p99', ({ appWaits }) => waits(appWaits)),
    line('  the first of a visit: p50, p99', ({ firstWaits }) => times(firstWaits, [0.5, 0.99])),
    line('a renewal in the Worker: p50, p99', ({ renewalTimes }) =>
      times(renewalTimes, [0.5, 0.99]),
    ),
    ...REGIONS.map((region, index) =>
      line(`  in ${region}`, ({ timesByRegion }) => {
        const found = timesByRegion.get(index)
        return found ? times(found, [0.5, 0.99]) : '-'
      }),
    ),
    line('= a month, in dollars', (figures, size) => number(monthlyPrice(size, figures))),
  ]
}

function extraLines(found: readonly (readonly [Size, Figures])[]): string[][] {
  return extras.map((extra) => {
    const cells = found.map(([size, figures]) => {
      const { calls, dollars } = costOf(extra, size, figures)
      return `${number(calls)}, $${number(dollars)}`
    })
    return [extra.name, ...cells]
  })
}

/** Two digits that count, and as many zeros as it takes. */
function number(value: number): string {
  if (value === 0 || !Number.isFinite(value)) return `${value}`
  const unit = 10 ** (Math.floor(Math.log10(value)) - 2)
  const rounded = Math.round(value / unit) * unit
  return rounded.toLocaleString('en', {
    maximumFractionDigits: rounded < 10 ? 2 : rounded < 100 ? 1 : 0,
  })
}

function bytes(value: number): string {
  const units = ['B', 'kB', 'MB', 'GB']
  const power = value < 1 ? 0 : Math.min(3, Math.floor(Math.log10(value) / 3))
  return `${number(value / 1000 ** power)} ${units[power]}`
}

function times(samples: Samples, parts: readonly number[] = [0.5, 0.99, 1]): string {
  if (samples.count === 0) return 'never'
  return parts.map((part) => milliseconds(samples.quantile(part))).join(', ')
}

function waits(samples: Samples): string {
  const waited = samples.above(0)
  const part = (100 * waited.count) / samples.count
  return `${number(part)}%: ${waited.count === 0 ? '-' : times(waited, [0.5, 0.99])}`
}

function milliseconds(value: number): string {
  return value < 1_000 ? `${number(value)} ms` : `${(value / 1_000).toFixed(1)} s`
}
