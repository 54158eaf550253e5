import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { holds } from '../../../../test/support/holds.js'
import { memoryStore } from '../memory.js'
import { Collector } from './collector.js'
import type { Ledger } from './rules.js'
import type { Mark, RevocationLines } from './types.js'

const start = Date.UTC(2026, 10, 1)
const { pass, takeTimers, advance } = clock({ start })

const seconds = () => Math.floor(Date.now() / 1000)
const end = start / 1000 + 86_400

/** Objects of a ledger, each of which can fail, and a collector of them. */
function collecting(count = 3) {
  const objects = new Map(
    Array.from({ length: count }, (_, at): [string, Ledger] => [
      `object-${at}`,
      memoryStore().ledger,
    ]),
  )
  const places = [...objects.keys()].map((name) => ({ name }))
  const asked: string[] = []
  const failing = new Map<string, () => Promise<unknown>>()
  const collector = () =>
    new Collector(
      async ({ name }, since) => {
        asked.push(name)
        await failing.get(name)?.()
        const ledger = objects.get(name)
        if (!ledger) throw new Error(`No object has the name ${name}.`)
        return ledger.revokedSince(since)
      },
      () => Date.now(),
    )
  const at = (index: number) => {
    const ledger = objects.get(`object-${index}`)
    if (!ledger) throw new Error('There are not so many objects.')
    return ledger
  }
  return { places, asked, failing, collector, at }
}

const sidsOf = ({ seconds }: RevocationLines) =>
  seconds.flatMap(([, sids]) => sids.split(',')).sort()
const rejected = () => Promise.reject(new Error('overloaded'))

describe('a collector', () => {
  it('lists the endings in each of its objects, with the second', async () => {
    const { places, collector, at } = collecting()
    await at(0).revoke('one', end)
    pass(5)
    await at(1).revoke('two', end)
    await at(2).cutOff({ sub: 'ada', until: seconds(), except: 'two' }, end)
    const found = await collector().since(0, places)
    expect(found.seconds).toEqual([
      [start / 1000, 'one'],
      [start / 1000 + 5, 'two'],
    ])
    expect(found.users).toEqual([{ sub: 'ada', until: seconds(), except: 'two' }])
    expect(found.hasMore).toBe(false)
  })

  it('asks each object once a second, however often it is asked', async () => {
    const { places, collector, asked } = collecting()
    const one = collector()
    for (let time = 0; time < 10; time++) {
      await Promise.all(Array.from({ length: 50 }, () => one.since(seconds() - 360, places)))
      pass(0.1)
    }
    expect(asked).toHaveLength(3)
    pass(1)
    await one.since(seconds() - 360, places)
    expect(asked).toHaveLength(6)
  })

  it('asks each object once, for all callers that start at the same time', async () => {
    const { places, collector, asked } = collecting()
    const one = collector()
    await Promise.all([1, 2, 3].map(() => one.since(seconds() - 360, places, true)))
    expect(asked).toHaveLength(3)
  })

  it('knows an ending a second later', async () => {
    const { places, collector, at } = collecting()
    const one = collector()
    const { next } = await one.since(seconds() - 360, places)
    await at(1).revoke('late', end)
    pass(1)
    expect(sidsOf(await one.since(next, places))).toEqual(['late'])
  })

  it('sends a caller that starts all endings up to now', async () => {
    const { places, collector, at } = collecting()
    const one = collector()
    await one.since(seconds() - 360, places)
    await at(1).revoke('just now', end)
    expect(sidsOf(await one.since(seconds() - 360, places))).toEqual([])
    expect(sidsOf(await one.since(seconds() - 360, places, true))).toEqual(['just now'])
  })

  it('does not ask objects any more that no caller has named for a minute', async () => {
    const { places, collector, asked } = collecting()
    const one = collector()
    await one.since(seconds() - 360, places)
    for (let time = 0; time < 70; time++) {
      pass(1)
      await one.since(seconds() - 10, places.slice(1))
    }
    asked.length = 0
    pass(1)
    await one.since(seconds() - 10, places.slice(1))
    expect(asked).toEqual(['object-1', 'object-2'])
  })

  it('that restarts loses nothing: callers go on where they were', async () => {
    const { places, collector, at } = collecting()
    const heard = new Set<string>()
    let since = seconds() - 360
    for (let round = 0; round < 30; round++) {
      await at(round % 3).revoke(`sid-${round}`, end)
      pass(1)
      const found = await collector().since(since, places)
      for (const sid of sidsOf(found)) heard.add(sid)
      since = found.next
    }
    expect(heard.size).toBe(30)
  })

  it('is asked again from the beginning for a caller that needs older endings', async () => {
    const { places, collector, at } = collecting()
    await at(0).revoke('old', end)
    pass(600)
    const one = collector()
    expect(sidsOf(await one.since(seconds() - 60, places))).toEqual([])
    expect(sidsOf(await one.since(seconds() - 700, places))).toEqual(['old'])
  })

  it('without an answer from any object says so, and does not say that nothing ended', async () => {
    const { places, collector, failing } = collecting()
    for (const { name } of places) failing.set(name, rejected)
    await expect(collector().since(0, places)).rejects.toThrow('None of the objects')
  })

  it('gives a long answer in parts, none of which is lost', async () => {
    const { places, collector, at } = collecting()
    const many = 'x'.repeat(900)
    for (let second = 0; second < 120; second++) {
      for (let one = 0; one < 100; one++) await at(one % 3).revoke(`${second}-${one}-${many}`, end)
      pass(1)
    }
    pass(10)
    const one = collector()
    const heard = new Set<string>()
    let parts = 0
    for (let since = 0, hasMore = true; hasMore; parts++) {
      const found = await one.since(since, places)
      for (const sid of sidsOf(found)) heard.add(sid)
      expect(found.next).toBeGreaterThan(since)
      since = found.next
      hasMore = found.hasMore
    }
    expect([parts, heard.size]).toEqual([6, 12_000])
  })
})

describe('a caller that shows the mark of the last answer', () => {
  it('hears nothing twice, and another one everything', async () => {
    const { places, collector, at } = collecting()
    const one = collector()
    await at(0).revoke('first', end)
    const first = await one.since(seconds() - 360, places)
    await at(1).revoke('second', end)
    pass(1)
    await at(2).revoke('third', end)
    const [mark] = first.marks ?? []
    const next = await one.since(first.next, places, true, mark)
    expect(sidsOf(first)).toEqual(['first'])
    expect(sidsOf(next)).toEqual(['second', 'third'])
    expect((await one.since(next.next, places, true, next.marks?.[0])).seconds).toEqual([])
    expect(sidsOf(await one.since(first.next, places))).toEqual(['first', 'second', 'third'])
  })

  it('with the mark of another collector, or from before this one restarted, hears everything', async () => {
    const { places, collector, at } = collecting()
    await at(0).revoke('gone', end)
    const { marks, next } = await collector().since(seconds() - 360, places)
    expect(sidsOf(await collector().since(next, places, false, marks?.[0]))).toEqual(['gone'])
  })

  it('with the mark of a line that was forgotten and restarted hears all of it', async () => {
    const { places, collector, at } = collecting()
    const one = collector()
    await at(0).revoke('gone', end)
    const { marks } = await one.since(seconds() - 360, places)
    const [{ of = '', told = [] } = {}] = marks ?? []
    const longer = { of, told: told.map(([second]) => [second, 1_000] as const) }
    expect(sidsOf(await one.since(seconds() - 10, places, false, longer))).toEqual(['gone'])
  })

  it('learns all that it would without, with any loss, delay, split or restart', () =>
    holds(
      60,
      fc.asyncProperty(
        fc.array(
          fc.record({
            ends: fc.array(fc.nat(2), { maxLength: 4 }),
            isLost: fc.boolean(),
            failing: fc.subarray([0, 1, 2], { maxLength: 2 }),
            isNew: fc.integer({ min: 0, max: 9 }).map((one) => one === 0),
            pause: fc.integer({ min: 0, max: 4 }),
          }),
          { maxLength: 40 },
        ),
        async (rounds) => {
          const { places, collector, at, failing } = collecting()
          let one = collector()
          const gone: string[] = []
          const heard = new Set<string>()
          let since = seconds() - 360
          let mark: Mark | undefined
          const look = async (isLost: boolean) => {
            const found = await one.since(since, places, false, mark).catch(() => undefined)
            if (!found || isLost) return
            for (const sid of sidsOf(found)) heard.add(sid)
            since = found.next
            mark = found.marks?.[0]
          }
          for (const { ends, isLost, isNew, pause, ...round } of rounds) {
            for (const index of ends) {
              gone.push(`sid-${gone.length}`)
              await at(index).revoke(gone.at(-1) as string, end)
            }
            failing.clear()
            for (const index of round.failing) failing.set(`object-${index}`, rejected)
            if (isNew) one = collector()
            await look(isLost)
            pass(pause)
          }
          failing.clear()
          pass(6)
          await look(false)
          expect([...heard].sort()).toEqual([...gone].sort())
        },
      ),
    ))
})

describe('an object that does not answer', () => {
  const silent = () => new Promise<never>(() => {})
  const slow = (milliseconds: number) => () =>
    new Promise((resolve) => setTimeout(resolve, milliseconds))

  it('for half a second is waited for: a caller that starts misses none of its endings', async () => {
    takeTimers()
    const { places, collector, at, failing } = collecting()
    failing.set('object-0', slow(500))
    await at(0).revoke('gone', end)
    const asking = collector().since(seconds() - 360, places)
    await advance(500)
    expect(sidsOf(await asking)).toEqual(['gone'])
  })

  it('and was asked a moment ago is waited for as long by the next caller that starts', async () => {
    takeTimers()
    const { places, collector, at, failing } = collecting()
    failing.set('object-0', slow(800))
    await at(0).revoke('gone', end)
    const one = collector()
    void one.since(seconds() - 360, places)
    await advance(300)
    const asking = one.since(seconds() - 360, places, true)
    await advance(500)
    expect(sidsOf(await asking)).toEqual(['gone'])
  })

  it('and then answers an old question is not asked a third time beside the second', async () => {
    takeTimers()
    const { places, collector, asked, failing } = collecting(1)
    const answers: (() => void)[] = []
    failing.set('object-0', () => new Promise<void>((resolve) => answers.push(resolve)))
    const one = collector()
    void one.since(seconds() - 360, places).catch(() => {})
    await advance(1_000)
    void one.since(seconds() - 360, places)
    expect(asked).toHaveLength(3)
    answers[0]?.()
    await advance(100)
    void one.since(seconds() - 360, places, true)
    expect(asked).toHaveLength(3)
  })

  it('for one lost message is asked again while the caller waits', async () => {
    takeTimers()
    const { places, collector, at, failing } = collecting()
    const one = collector()
    const first = await one.since(seconds() - 360, places)
    await at(0).revoke('gone', end)
    await advance(1_000)
    failing.set('object-0', silent)
    const asking = one.since(first.next, places)
    failing.clear()
    await advance(350)
    expect(sidsOf(await asking)).toEqual(['gone'])
  })

  it('holds no caller up for the second that a read waits', async () => {
    takeTimers()
    const { places, collector, at, failing } = collecting()
    failing.set('object-0', silent)
    await at(1).revoke('gone', end)
    const asking = collector().since(seconds() - 360, places)
    await advance(700)
    expect(sidsOf(await asking)).toEqual(['gone'])
  })

  it('is waited for once, and then no longer than it takes to reach it', async () => {
    takeTimers()
    const { places, collector, at, failing } = collecting()
    const one = collector()
    await one.since(seconds() - 360, places)
    failing.set('object-0', silent)
    await advance(1_000)
    const first = one.since(seconds() - 10, places)
    await advance(700)
    await first
    await at(1).revoke('gone', end)
    await advance(1_000)
    const asking = one.since(seconds() - 10, places)
    await advance(400)
    expect(sidsOf(await asking)).toEqual(['gone'])
    // Back again, it is heard by the caller that waits.
    await at(0).revoke('hidden', end)
    await advance(1_000)
    failing.clear()
    expect(sidsOf(await one.since(seconds() - 10, places))).toContain('hidden')
  })

  it('holds the time up to which all is known, beside which stands what the others know', async () => {
    const { places, collector, at, failing } = collecting()
    const one = collector()
    const first = await one.since(seconds() - 360, places)
    expect(first.heard).toBe(first.next)
    failing.set('object-0', rejected)
    pass(100)
    await at(1).revoke('gone', end)
    const found = await one.since(first.next, places)
    expect([found.next, found.heard]).toEqual([first.next, seconds() - 5])
  })

  it('is heard a second after it is back, and not five', async () => {
    takeTimers()
    const { places, collector, at, failing } = collecting()
    const one = collector()
    await one.since(seconds() - 360, places)
    await at(0).revoke('gone', end)
    failing.set('object-0', silent)
    await advance(1_000)
    void one.since(seconds() - 10, places)
    failing.clear()
    await advance(1_400)
    expect(sidsOf(await one.since(seconds() - 10, places))).toEqual(['gone'])
  })

  it.each([
    ['fails', rejected],
    ['hangs', silent],
  ])('and %s holds up no other one’s endings', async (_, how) => {
    takeTimers()
    const { places, collector, at, failing } = collecting()
    const one = collector()
    const first = await one.since(seconds() - 360, places)
    failing.set('object-0', how)
    await at(0).revoke('hidden', end)
    await at(1).revoke('seen', end)
    await advance(1_000)
    const asking = one.since(first.next, places)
    await advance(1_000)
    const found = await asking
    expect(sidsOf(found)).toEqual(['seen'])
    // `next` stays at the last answer of that object, so its hidden ending is asked for again.
    expect(found.next).toBe(first.next)
    failing.clear()
    await advance(6_000)
    expect(sidsOf(await one.since(found.next, places))).toContain('hidden')
  })
})

describe('the answers of the objects', () => {
  const t0 = start / 1000
  const one = { name: 'one' }
  const told = (sessions: { sid: string; at: number }[], next: number, hasMore = false) => {
    return { sessions, users: [], next, hasMore }
  }

  it('in parts is asked for until the last part, or a part that leads nowhere', async () => {
    const asked: number[] = []
    const parts = [told([{ sid: 'a', at: 1 }], 5, true), told([{ sid: 'b', at: 6 }], 9, true)]
    const ask = async (_: unknown, since: number) => {
      asked.push(since)
      return parts.shift() ?? told([], since, true)
    }
    const found = await new Collector(ask, () => 10_000).since(0, [one])
    expect([found.seconds, found.next, found.hasMore]).toEqual([
      [
        [1, 'a'],
        [6, 'b'],
      ],
      9,
      false,
    ])
    expect(asked).toEqual([0, 5, 9])
  })

  it('is given by the second, the oldest first, in any order of the objects', async () => {
    const ask = async ({ name }: { name: string }) =>
      told([{ sid: name, at: name === 'one' ? 8 : 3 }], 9)
    const found = await new Collector(ask, () => 10_000).since(0, [one, { name: 'two' }])
    expect(found.seconds).toEqual([
      [3, 'two'],
      [8, 'one'],
    ])
  })

  it('is asked at once of an object that a caller names first, beside one that is known', async () => {
    const asked: string[] = []
    const ask = async ({ name }: { name: string }) => {
      asked.push(name)
      return told([], 9)
    }
    const collector = new Collector(ask, () => 10_000)
    await collector.since(0, [one])
    await collector.since(0, [one, { name: 'two' }])
    expect(asked).toEqual(['one', 'one', 'two'])
  })

  it('is kept for as long as callers ask back, and two minutes: beyond it the objects are asked again', async () => {
    const asked: number[] = []
    const ask = async (_: unknown, since: number) => {
      asked.push(since)
      return told([], seconds())
    }
    const collector = new Collector(ask, () => Date.now())
    await collector.since(t0 - 100, [one])
    await collector.since(t0 - 200, [one])
    expect(asked).toEqual([t0 - 100, t0 - 200])
    pass(1_000)
    const now = seconds()
    await collector.since(now - 200, [one])
    await collector.since(now - 320, [one])
    expect(asked.slice(2)).toEqual([t0])
    await collector.since(now - 321, [one])
    expect(asked.slice(3)).toEqual([now - 321])
  })

  const MIB = 1024 * 1024
  it.each([
    ['two seconds of 2 MiB together', [MIB, MIB], 30, 2, 30, false],
    ['one character more', [MIB, MIB + 1], 30, 1, 11, true],
    ['a second that is larger alone', [3 * MIB, 1], 30, 1, 11, true],
    ['the rest from the second up to which all is known', [3 * MIB, 1], 11, 1, 11, true],
    ['a rest of which not all is known yet', [3 * MIB, 1], 10, 1, 10, false],
  ])('has a limit: %s', async (_, lengths, heard, count, next, hasMore) => {
    const sessions = lengths.map((length, at) => ({ sid: 'x'.repeat(length), at: 10 + at }))
    const found = await new Collector(
      async () => told(sessions, heard),
      () => 40_000,
    ).since(0, [one])
    expect([found.seconds.length, found.next, found.hasMore]).toEqual([count, next, hasMore])
  })
})
