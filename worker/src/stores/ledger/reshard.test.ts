import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { holds } from '../../../../test/support/holds.js'
import { createAuth } from '../../index.js'
import { Browser, configWith, secret } from '../../test-support/browser.js'
import { anybody } from '../../test-support/deployment.js'
import { FakeKv } from '../../test-support/kv.js'
import { ledgerOver } from '../../test-support/ledger-over.js'
import { filled, keys, type Objects } from '../../test-support/resharding.js'
import { durableLedger } from '../durable-ledger.js'
import { reshardingLedger } from '../resharding-ledger.js'
import { layoutOf, placesOf } from './placement.js'
import type { SqliteRows } from './sqlite-rows.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1) })
const now = () => Math.floor(Date.now() / 1000)
const DAY = 24 * 60 * 60

describe.each([
  [1, 4],
  [4, 16],
  [30, 7],
])('%i objects that become %i', (from, to) => {
  it('hand all documents over, and the new ones have them alone when the old number goes', async () => {
    const objects = await filled(200, from)
    expect(await objects.reshard(from, to)).toBe(true)
    await objects.settle()
    expect(await objects.reshard(from, to)).toBe(false)
    const after = objects.seen(to)
    for (const key of keys(200)) {
      expect(await after.document(key)).toEqual({ version: 1, content: key })
    }
    // Isolates that know the old number alone find them as ever.
    expect(objects.keysIn(from)).toEqual(keys(200))
  })

  it('that hear once go on by themselves, also when they hear nothing more', async () => {
    const objects = await filled(200, from)
    await objects.reshard(from, to)
    await objects.settle()
    expect(objects.keysIn(to)).toEqual(keys(200))
  })

  it('hand over what isolates change meanwhile that know the old number alone, deletions too', async () => {
    const objects = await filled(100, from)
    await objects.reshard(from, to)
    await objects.step()
    const old = objects.seen(from)
    const [first = '', last = ''] = [keys(100)[0], keys(100).at(-1)]
    await old.changeDocument(first, 1, 'changed')
    await old.changeDocument(last, 1, null)
    await objects.settle()
    await old.changeDocument(first, 2, 'changed again')
    await old.changeDocument('way\nnew', 0, 'new')
    expect(await objects.reshard(from, to)).toBe(from === 1 || (await anyUnhanded(objects, from)))
    await objects.settle()
    const after = objects.seen(to)
    expect(await after.document(first)).toEqual({ version: 3, content: 'changed again' })
    expect(await after.document(last)).toEqual({ version: 2, content: null })
    expect(await after.document('way\nnew')).toEqual({ version: 1, content: 'new' })
  })

  it('never put an older document in the place of a newer one', async () => {
    const objects = await filled(50, from)
    const both = objects.seen(from, to)
    for (const key of keys(50).slice(0, 25)) await both.changeDocument(key, 1, 'newer')
    // Isolates with the new number alone are faster.
    const after = objects.seen(to)
    for (const key of keys(50).slice(0, 10)) await after.changeDocument(key, 2, 'newest')
    await objects.reshard(from, to)
    await objects.settle()
    const contents = await Promise.all(keys(50).map((key) => after.document(key)))
    expect(contents.map((found) => found?.version)).toEqual(
      keys(50).map((_, at) => (at < 10 ? 3 : at < 25 ? 2 : 1)),
    )
  })

  it('delete their copies after a month without a call, and not before', async () => {
    const objects = await filled(60, from)
    await objects.reshard(from, to)
    await objects.settle()
    pass(29 * DAY)
    await objects.step()
    expect(objects.keysIn(from)).toEqual(keys(60))
    // The number is in use again, or still: its copies stay.
    for (const key of keys(60)) await objects.seen(from).document(key)
    pass(29 * DAY)
    await objects.step()
    expect(objects.keysIn(from)).toEqual(keys(60))
    pass(2 * DAY)
    await objects.settle()
    expect(objects.keysIn(from)).toEqual([])
    expect(objects.keysIn(to)).toEqual(keys(60))
    expect(await objects.step()).toBe(false)
  })
})

/** Does this once at the former object, after it has sent a document to the new one and before an answer comes. */
function onTheWay(objects: Objects, work: (ledger: ReturnType<typeof ledgerOver>) => unknown) {
  let isOnTheWay = true
  objects.fault = (call) => {
    if (!isOnTheWay || !call.endsWith('changeDocument')) return
    isOnTheWay = false
    void work(ledgerOver(objects.rows.get('ledger') as SqliteRows, Date.now))
  }
}

async function anyUnhanded(objects: Objects, from: number): Promise<boolean> {
  const first = placesOf(layoutOf(from))[0]?.name ?? ''
  return (objects.rows.get(first)?.after('unhanded', '', 1).length ?? 0) > 0
}

it('a ledger whose number does not change has no handover, and writes no row for one', async () => {
  const objects = await filled(10, 4)
  for (const rows of objects.rows.values()) {
    expect([rows.after('handovers', '', 1), rows.after('unhanded', '', 1)]).toEqual([[], []])
  }
  expect(await objects.step()).toBe(false)
})

it('an object that does not answer keeps the documents with the old one, and gets them later', async () => {
  const objects = await filled(100, 1)
  let isDown = true
  objects.fault = (call) => {
    if (isDown && call.startsWith('ledger-4-2 ')) throw new Error('overloaded')
  }
  await objects.reshard(1, 4)
  for (let step = 0; step < 30; step++) await objects.step()
  expect(await objects.reshard(1, 4)).toBe(true)
  const missing = objects.keysIn(1).length - objects.keysIn(4).length
  expect(missing).toBeGreaterThan(0)
  isDown = false
  await objects.settle()
  expect(await objects.reshard(1, 4)).toBe(false)
  expect(objects.keysIn(4)).toEqual(keys(100))
})

it('a document that is changed on its way is handed over again', async () => {
  const objects = await filled(1, 1)
  const [key = ''] = keys(1)
  await objects.reshard(1, 4)
  onTheWay(objects, (ledger) => ledger.changeDocument(key, 1, 'changed'))
  await objects.settle()
  expect(await objects.seen(4).document(key)).toEqual({ version: 2, content: 'changed' })
})

it('a person who is erased while their documents are on the way is forgotten at the new object too', async () => {
  const objects = await filled(1, 1)
  const [key = ''] = keys(1)
  await objects.reshard(1, 4)
  onTheWay(objects, (ledger) => ledger.forget('person-0'))
  await objects.settle()
  expect((await objects.seen(4).document(key))?.content ?? null).toBeNull()
  pass(DAY)
  expect(await objects.seen(4).document(key)).toBeUndefined()
})

it('under any faults in a handover no document is lost, none is older, and none comes back', () =>
  holds(
    15,
    fc.asyncProperty(
      fc.constantFrom<[number, number]>([1, 4], [4, 3], [3, 10]),
      fc.integer({ min: 1, max: 0x7ffffffe }),
      fc.integer({ min: 0, max: 35 }),
      async ([from, to], seed, percent) => {
        const objects = await filled(40, from)
        let random = seed
        const chance = (of: number) => {
          random = (random * 48_271) % 0x7fffffff
          return random % 100 < of
        }
        objects.fault = () => {
          if (chance(percent)) throw new Error('overloaded')
        }
        const told = () => objects.reshard(from, to).catch(() => true)
        await told()
        /** The last confirmed content, or contents that may have happened since. */
        const said = new Map(keys(40).map((key) => [key, new Set<string | null>([key])]))
        for (let round = 0; round < 45; round++) {
          const key = keys(40)[random % 40] as string
          const ledger = objects.seen(...(chance(50) ? [from] : [from, to]))
          const content = chance(20) ? null : `${key} ${round}`
          try {
            const { version = 0 } = (await ledger.document(key)) ?? {}
            said.get(key)?.add(content)
            if (await ledger.changeDocument(key, version, content))
              said.set(key, new Set([content]))
          } catch {
            // It happened, or not.
          }
          if (chance(30)) await objects.step()
          if (chance(10)) await told()
        }
        objects.fault = () => {}
        await objects.reshard(from, to)
        await objects.settle()
        expect(await objects.reshard(from, to)).toBe(false)
        for (const [key, may] of said) {
          const before = await objects.seen(from).document(key)
          const after = await objects.seen(to).document(key)
          expect(after?.content ?? null).toBe(before?.content ?? null)
          expect([...may]).toContain(after?.content ?? null)
        }
      },
    ),
  ))

describe('an isolate that knows both numbers', () => {
  const isolate = (objects: Objects, shards: number[], done: () => void) => {
    const layouts = shards.map(layoutOf)
    const binding = objects.binding()
    return reshardingLedger(binding, layouts, durableLedger(binding, shards), Date.now, done)
  }
  const tells = ({ calls }: Objects) => calls.filter((call) => call.endsWith('handOver'))

  it('tells the old number with one call a minute, and says once that it may go', async () => {
    const objects = await filled(30, 1)
    let done = 0
    const ledger = isolate(objects, [1, 4], () => done++)
    for (let call = 0; call < 5; call++) await ledger.admit('key', [])
    expect(tells(objects)).toEqual(['ledger handOver'])
    await objects.settle()
    for (let minute = 0; minute < 3; minute++) {
      pass(60)
      await ledger.admit('key', [])
    }
    expect(tells(objects)).toHaveLength(4)
    expect(done).toBe(1)
  })

  it('says that old numbers may go when each of them has handed over', async () => {
    const objects = await filled(30, 1)
    for (const key of keys(30)) await objects.seen(2).changeDocument(`${key}-of-two`, 0, key)
    await objects.reshard(1, 4)
    await objects.settle()
    let done = 0
    const ledger = isolate(objects, [1, 2, 4], () => done++)
    await ledger.admit('key', [])
    expect(done).toBe(0)
    await objects.settle()
    for (let minute = 0; minute < 3; minute++) {
      pass(60)
      await ledger.admit('key', [])
      await objects.settle()
    }
    expect(done).toBe(1)
  })

  it('is not held up, and fails by nothing that the old number does', async () => {
    const objects = await filled(1, 1)
    objects.fault = (call) => {
      if (call.endsWith('handOver')) throw new Error('overloaded')
    }
    let done = 0
    const ledger = isolate(objects, [1, 4], () => done++)
    expect(await ledger.consume('name', now() + 60)).toBe(true)
    expect(done).toBe(0)
    objects.fault = () => {
      throw new Error('all is down')
    }
    pass(60)
    await expect(ledger.consume('other', now() + 60)).rejects.toThrow('all is down')
  })

  it('writes a line into the log of its service when the old number may go', async () => {
    const objects = await filled(30, 1)
    const lines: unknown[][] = []
    const { store: _, ...config } = configWith({
      ledgerShards: [1, 4],
      providers: [anybody],
      logger: { warn: (...line) => void lines.push(line) },
    })
    const [auth, kv] = [createAuth(config), new FakeKv()]
    const env = { AUTH_SECRET: secret, SESSIONS: kv.at('here'), LEDGER: objects.binding() }
    const browser = new Browser(config, { answer: (request) => auth.fetch(request, env) })
    const signIn = () => browser.submit('/auth/callback/credentials', { username: 'ada' })
    const isSaid = () => lines.filter(([code]) => code === 'ledger-number').length
    await signIn()
    expect(isSaid()).toBe(0)
    await objects.settle()
    for (let minute = 0; minute < 3; minute++) {
      pass(61)
      expect((await signIn()).status).toBe(302)
    }
    expect(isSaid()).toBe(1)
  })

  it('with one number, or with as many objects in regions, calls no object', async () => {
    const objects = await filled(1, 4)
    await isolate(objects, [4], () => {}).admit('key', [])
    const binding = objects.binding()
    const layouts = [layoutOf(4), { count: 4, regions: ['weur'] as const }]
    const ledger = durableLedger(binding, layouts)
    const done = () => {
      throw new Error('Nothing was handed over.')
    }
    expect(reshardingLedger(binding, layouts, ledger, Date.now, done)).toBe(ledger)
    await ledger.admit('key', [])
    expect(tells(objects)).toEqual([])
  })
})
