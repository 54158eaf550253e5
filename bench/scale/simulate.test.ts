import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { today } from './designs/today.js'
import { eventCosts } from './event-costs.js'
import { wholeExtent } from './extent.js'
import { costOf, extras } from './extras.js'
import type { KvCounts } from './isolate.js'
import { type Figures, simulate } from './simulate.js'
import { habits, objectsOf, type Size, sizes } from './sizes.js'

const page = readFileSync(new URL('../../docs/scale.md', import.meta.url), 'utf8')

/** The cells of a row of the page, after the first. */
function cells(first: string): string[] {
  const line = page.split('\n').find((text) => text.startsWith(`| ${first} `))
  if (line === undefined) throw new Error(`docs/scale.md has no row "${first}".`)
  return line
    .split('|')
    .slice(2, -1)
    .map((cell) => cell.trim())
}

/** `1.8 million: **too many**` → 1,800,000 */
function numberIn(cell: string | undefined): number {
  const [, digits = '', million] = /^\$?([\d.,]+)( million)?/.exec(cell ?? '') ?? []
  return Number(digits.replaceAll(',', '')) * (million ? 1e6 : 1)
}

const [small, middle, large, largest] = sizes as readonly [Size, Size, Size, Size]

describe('docs/scale.md', () => {
  it.each([
    [0, small, 900, 4],
    [1, middle, 100, 4],
    [2, large, 8, 12],
    [3, largest, 3, 12],
  ] as const)(
    'has the figures of its size %i, within a tenth',
    async (column, size, seconds, isolates) => {
      const load = { ...wholeExtent, isolates, apps: 0, callTime: 0 }
      const figures = await simulate(size, today, { ...load, seconds })
      const { objects } = objectsOf(size)
      expect(numberIn(cells('objects')[column])).toBe(objects)
      const rows: Record<string, (figures: Figures) => number> = {
        'renewals a second': ({ renewals }) => renewals,
        'other calls a second': ({ otherCalls }) => otherCalls,
        'calls to each object': ({ calls }) => calls.mean,
        'calls to the busiest object': ({ busiest }) => busiest,
        'rows in each object': ({ rowsKept }) => rowsKept,
        'KV writes and deletes': ({ kvWrites }) => kvWrites,
        'revocations known at once': ({ revocations }) => revocations,
        '… in use at the same moment': () => size.inUse,
      }
      const found = Object.entries(rows).map(([row, figure]) => [row, figure(figures)] as const)
      const wrong = found.flatMap(([row, figure]) => {
        const said = numberIn(cells(row)[column])
        return Math.abs(figure / said - 1) < 0.1 ? [] : [{ row, said, figure }]
      })
      expect(wrong).toEqual([])
      const busy = 100 * figures.busy
      expect(
        Math.abs(parseFloat(cells('how much of its time that one works')[column] ?? '') - busy),
      ).toBeLessThan(4)
      for (const extra of extras) {
        const [calls, dollars] = (cells(extra.name)[column] ?? '').split(', ').map(numberIn)
        const cost = costOf(extra, size, figures)
        expect(calls, extra.name).toBeCloseTo(cost.calls, -1)
        expect(Math.abs((dollars ?? 0) / cost.dollars - 1), extra.name).toBeLessThan(0.1)
      }
    },
  )

  it('holds no more sessions in use than sign-ins and visits bring', () => {
    for (const { signIns, sessions, inUse, maxAge } of sizes) {
      expect(inUse).toBeLessThanOrEqual(sessions)
      // A session begins by a sign-in, and lasts no longer than it may.
      expect(sessions).toBeLessThanOrEqual(signIns * maxAge)
      // Every sign-in begins a visit.
      expect(inUse).toBeGreaterThanOrEqual(signIns * habits.visit)
    }
  })

  it('has what each event costs', async () => {
    const costs = await eventCosts(today)
    const said = (row: string) => cells(row).slice(0, 2)
    expect(said('a sign-in by OAuth')).toEqual(['1 call, 2 rows', '1 write'])
    expect(costs['a sign-in by OAuth']).toEqual({ calls: 1, rows: 2, kv: asked({ writes: 1 }) })
    expect(said('a renewal, every 4 minutes of use')).toEqual(['1 call', '1 read'])
    expect(costs['a renewal']).toEqual({ calls: 1, rows: 0, kv: asked({ reads: 1 }) })
    expect(said('an extension, once a day of use')).toEqual(['3 calls, 2 rows', '1 read, 1 write'])
    expect(costs['an extension']).toEqual({ calls: 3, rows: 2, kv: asked({ reads: 1, writes: 1 }) })
    expect(said('a sign-out')).toEqual(['1 call, 3 rows', '1 delete'])
    expect(costs['a sign-out']).toEqual({ calls: 1, rows: 3, kv: asked({ deletes: 1 }) })
    expect(said('signing out everywhere, with *n* sessions')).toEqual([
      '1 call to each object, *n* + 1 more',
      '1 list, *n* reads, *n* deletes',
    ])
    const everywhere = costs['signing out everywhere, with 3 sessions']
    const kv = asked({ lists: 1, reads: 3, deletes: 3 })
    expect(everywhere).toEqual({ calls: 16 + 3 + 1, rows: 16 * 3 + 3 * 3, kv })
    expect(said('each isolate, every 4 s while it serves')).toEqual(['1 call', 'none'])
  })
})

describe('a simulation', () => {
  const short = { ...wholeExtent, seconds: 30, isolates: 4, readers: 100 }

  it('is the same for the same seed, and another for another', async () => {
    const [one, same, other] = [
      await simulate(small, today, short),
      await simulate(small, today, short),
      await simulate(small, today, { ...short, seed: 2 }),
    ]
    expect(same).toEqual(one)
    expect(other).not.toEqual(one)
  })

  it('sees every end within 5 s in the Worker, and within 15 s in apps', async () => {
    const long = { ...short, seconds: 120, readers: 700 }
    const { seenByIsolates, seenByApps, missed, failures } = await simulate(small, today, long)
    expect(seenByIsolates.count).toBeGreaterThan(50)
    expect(seenByIsolates.quantile(1)).toBeLessThan(5_000)
    expect(seenByApps.count).toBeGreaterThan(10)
    expect(seenByApps.quantile(1)).toBeLessThan(15_000)
    expect({ missed, failures }).toEqual({ missed: 0, failures: 0 })
  })

  it('tells an app of its own sessions alone if many end: few bytes, and no read waits', async () => {
    const extent = { ...wholeExtent, seconds: 15, isolates: 4, apps: 1 }
    // Fewer sessions are in use, so that this app hears of enough endings of its own sessions.
    const figures = await simulate({ ...large, inUse: 1e6, apps: 500 }, today, extent)
    const { seenByApps, appBytes, appQuestions, appRevocations, appWaits, missed } = figures
    expect(appQuestions).toBeGreaterThan(1)
    expect(appBytes).toBeLessThan(15_000)
    expect(appRevocations).toBeLessThan(20_000)
    expect(appWaits.above(0).count).toBeLessThan(appWaits.count / 1_000)
    expect(seenByApps.count).toBeGreaterThan(10)
    expect(seenByApps.quantile(1)).toBeLessThan(15_000)
    expect(missed).toBe(0)
  })

  it('gives the timers and the cryptography back', async () => {
    const { setTimeout, setInterval } = globalThis
    const subtle = Object.getOwnPropertyDescriptors(crypto.subtle)
    await simulate(small, today, { ...short, seconds: 1 })
    expect(globalThis.setTimeout).toBe(setTimeout)
    expect(globalThis.setInterval).toBe(setInterval)
    expect(Object.getOwnPropertyDescriptors(crypto.subtle)).toEqual(subtle)
  })
})

function asked(counts: Partial<KvCounts>): KvCounts {
  return { reads: 0, writes: 0, deletes: 0, lists: 0, ...counts }
}
