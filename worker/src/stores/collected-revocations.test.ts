import { afterEach, describe, expect, it, vi } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { FakeLedgers } from '../test-support/deployment.js'
import { collectedRevocations } from './collected-revocations.js'
import { durableLedger } from './durable-ledger.js'
import type { Region } from './ledger/placement.js'
import type { RevocationLines, RevokedLately } from './ledger/types.js'

const start = Date.UTC(2026, 10, 1)
const now = start / 1000
const { advance } = clock({ start, timers: true })

afterEach(() => void vi.restoreAllMocks())

/** An isolate that asks the collectors of so many objects. */
function isolateWith(...shards: number[]) {
  const ledgers = new FakeLedgers()
  const ledger = durableLedger(ledgers.binding, shards)
  const endings = collectedRevocations(ledgers.binding, shards)
  if (!endings) throw new Error('There are no collectors.')
  const asked = () => ledgers.calls.filter((call) => call.endsWith(' collect'))
  return { ledgers, ledger, endings, asked }
}

function sidsOf(found: RevocationLines | RevokedLately): readonly string[] {
  if ('sessions' in found) return found.sessions.map(({ sid }) => sid)
  return found.seconds.flatMap(([, sids]) => sids.split(','))
}

it('beside a collector that is silent another one is asked, and then kept', async () => {
  const { ledgers, ledger, endings, asked } = isolateWith(4)
  await ledger.revoke('gone', now + 86_400)
  ledgers.before.set('collect', () => new Promise(() => {}))
  void endings.revokedSince(now - 360)
  await advance(500)
  ledgers.before.clear()
  const found = await endings.revokedSince(now - 360)
  expect(sidsOf(found)).toEqual(['gone'])
  await endings.revokedSince(now - 360)
  const [silent, other, kept] = asked()
  expect(other).not.toBe(silent)
  expect(kept).toBe(other)
})

it('while all are silent, each of them is asked in its turn, and no other one', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0.6)
  const { ledgers, endings, asked } = isolateWith(200)
  ledgers.before.set('collect', () => new Promise(() => {}))
  for (let time = 0; time < 5; time++) void endings.revokedSince(now - 360)
  const ofFirstGroup = asked().filter((call) => call.startsWith('endings-4-0-'))
  expect(ofFirstGroup).toEqual([2, 3, 0, 1, 2].map((at) => `endings-4-0-${at} collect`))
})

it('isolates are spread over the collectors of the same objects', async () => {
  for (const [random, replica] of [
    [0, 0],
    [0.49, 0],
    [0.5, 1],
    [0.99, 1],
  ] as const) {
    vi.spyOn(Math, 'random').mockReturnValue(random)
    const { endings, asked } = isolateWith(4)
    await endings.revokedSince(now - 360)
    expect(asked()).toEqual([`endings-1-0-${replica} collect`])
  }
})

it.each([[[2]], [[64]], [[65]], [[128, 2]]])(
  'each of %s objects has collectors of one group alone, and none is left out',
  async (shards) => {
    const { ledgers, ledger, endings } = isolateWith(...shards)
    const sids = Array.from({ length: 300 }, (_, at) => `sid-${at}`)
    for (const sid of sids) await ledger.revoke(sid, now + 86_400)
    ledgers.calls.length = 0
    const found = await endings.revokedSince(now - 360)
    const objects = ledgers.calls.filter((call) => call.endsWith(' revokedSince'))
    expect(objects).toHaveLength(shards.reduce((sum, count) => sum + count))
    expect(new Set(objects).size).toBe(objects.length)
    expect(new Set(sidsOf(found))).toEqual(new Set(sids))
  },
)

describe('an isolate near one of the regions', () => {
  const shards = [{ count: 2, regions: ['weur', 'apac'] as const }]
  const near = (region: Region | undefined) => {
    vi.spyOn(Math, 'random').mockReturnValue(0)
    const ledgers = new FakeLedgers()
    const endings = collectedRevocations(ledgers.binding, shards, region)
    if (!endings) throw new Error('There are no collectors.')
    return {
      ledgers,
      endings,
      asked: () => ledgers.calls.filter((call) => call.endsWith(' collect')),
    }
  }

  it.each([
    ['apac', 'endings-1-0-apac-0 collect'],
    // Somewhere else: there are no objects.
    ['oc', 'endings-1-0-0 collect'],
    [undefined, 'endings-1-0-0 collect'],
  ] as const)('%s asks a collector there: %s', async (region, name) => {
    const { endings, asked } = near(region)
    await endings.revokedSince(now - 360)
    expect(asked()).toEqual([name])
  })

  it('goes over to collectors elsewhere when both of its own are silent', async () => {
    const { ledgers, endings, asked } = near('weur')
    ledgers.before.set('collect', async (name) => {
      if (name.includes('weur')) await new Promise(() => {})
    })
    for (let time = 0; time < 3; time++) void endings.revokedSince(now - 360)
    await advance(0)
    await endings.revokedSince(now - 360)
    const names = ['weur-0', 'weur-1', '0', '0'].map((end) => `endings-1-0-${end} collect`)
    expect(asked()).toEqual(names)
  })
})

it('an isolate hears each ending of its collectors once, from each group', async () => {
  const { ledger, endings } = isolateWith(65)
  await ledger.revoke('one', now + 86_400)
  const first = await endings.revokedSince(now - 360)
  const marks = 'marks' in first ? first.marks : undefined
  await ledger.revoke('two', now + 86_400)
  await ledger.revoke('three', now + 86_400)
  await advance(1_000)
  const next = await endings.revokedSince(first.next, false, marks)
  expect([...sidsOf(next)].sort()).toEqual(['three', 'two'])
})

it('a single object has no collectors, however often it is listed', () => {
  const { binding } = new FakeLedgers()
  for (const shards of [[1], [1, 1]]) {
    expect(collectedRevocations(binding, shards)).toBeUndefined()
  }
})

it.each([{}, null, { seconds: [], users: [], next: 'soon', hasMore: false }])(
  'an invalid answer of a collector is an error, and not taken for “nothing ended”: %o',
  async (answer) => {
    const { binding } = new FakeLedgers()
    const get = () => ({ collect: async () => answer })
    const answering = { ...binding, get } as unknown as typeof binding
    const endings = collectedRevocations(answering, [4])
    await expect(endings?.revokedSince(now)).rejects.toThrow(
      'The answer of a collector is not a list of endings.',
    )
  },
)

it('for several groups it knows the earliest time that all cover, and the last answer of each', async () => {
  const answers = [
    { seconds: [[1, 'a']], users: [], next: 10, hasMore: false, heard: 7, marks: ['of the first'] },
    { seconds: [[2, 'b']], users: [], next: 8, hasMore: false },
  ]
  const collect = async (_since: number, places: readonly unknown[]) =>
    answers[places.length === 64 ? 0 : 1]
  const namespace = { idFromName: (name: string) => name, get: () => ({ collect }) }
  const _ledger = durableLedger(new FakeLedgers().binding, [100])
  const endings = collectedRevocations(namespace as never, [100])
  const found = await endings?.revokedSince(now - 360)
  expect(found).toMatchObject({ heard: 7, next: 8, marks: ['of the first', undefined] })
})
