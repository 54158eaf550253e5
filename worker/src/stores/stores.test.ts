import { describe, expect, it } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { FakeLedgers } from '../test-support/deployment.js'
import { distantLedger } from '../test-support/distant-ledger.js'
import { FakeKv } from '../test-support/kv.js'
import { sqliteLedger } from '../test-support/sqlite.js'
import { type ContractStores, storeContract } from '../testing.js'
import { durableLedger } from './durable-ledger.js'
import { kvSessionStore } from './kv.js'
import type { Layout } from './ledger/placement.js'
import { memoryStore } from './memory.js'
import { sqliteStore } from './sqlite.js'

/** The clock of the whole process, which also the stores below use that get no clock. */
const ofProcess = { now: () => Date.now(), pass: clock().pass }

const objects = (...shards: (number | Layout)[]) => ({
  ledger: () => durableLedger(new FakeLedgers().binding, shards),
  clock: ofProcess,
})

const stores: [string, ContractStores][] = [
  [
    'memory',
    { sessions: (now) => memoryStore(now).sessions, ledger: (now) => memoryStore(now).ledger },
  ],
  [
    'a file',
    {
      sessions: (now) => sqliteStore(':memory:', now).sessions,
      ledger: (now) => sqliteStore(':memory:', now).ledger,
    },
  ],
  ['KV', { sessions: () => kvSessionStore(new FakeKv().at('here')), clock: ofProcess }],
  ['SQLite', { ledger: sqliteLedger }],
  ['a database that answers later', { ledger: distantLedger }],
  ['one object', objects(1)],
  ['four objects', objects(4)],
  ['five objects', objects(5)],
  ['one object, four to come', objects(1, 4)],
  ['one object, five to come', objects(1, 5)],
  ['a hundred objects', objects(100)],
  ['four objects, a hundred to come', objects(4, 100)],
  ['four objects, regions to come', objects(4, { count: 4, regions: ['weur', 'apac'] })],
]

describe.each(stores)('the contract of stores: %s', (_, given) => {
  const contract = storeContract(given)
  it.each(contract.map(({ name, run }) => [name, run] as const))('%s', (_name, run) => run())
})

describe('the contract of stores', () => {
  /** The names of the cases that a ledger fails. */
  async function broken(changes: object): Promise<string[]> {
    const cases = storeContract({
      ledger: (now) => ({ ...memoryStore(now).ledger, ...changes }),
    })
    const failures = await Promise.all(
      cases.map(({ name, run }) =>
        run().then(
          () => [],
          (error: Error) => [name, error.message],
        ),
      ),
    )
    return failures.flat()
  }

  it.each([
    ['lets everybody through', { consume: async () => true }, 'consumed once'],
    ['forgets every ending', { isRevoked: async () => false }, 'stays revoked'],
    ['answers null', { isRevoked: async () => null }, 'stays revoked'],
    ['ends nothing', { cutOff: async () => null }, 'a cut-off ends'],
    [
      'hides endings',
      { revokedSince: async () => ({ sessions: [], users: [], next: 0, hasMore: false }) },
      'lists the revocations since',
    ],
    ['counts nothing', { admit: async () => 0 }, 'as the limit says'],
    [
      'redeems nothing',
      { redeemVerification: async () => ({ state: 'over' }) },
      'fifty redemptions at once',
    ],
    ['grants every claim', { claimRefresh: async () => ({ state: 'yours' }) }, 'one of fifty'],
    ['lets every change count', { changeDocument: async () => true }, 'one of a hundred changes'],
    [
      'takes all for alive',
      { liveDocument: async () => ({ isOver: false, isChanged: true }) },
      'an ending of any kind',
    ],
    ['lists nothing', { documentsOf: async () => [] }, 'are listed by their kinds'],
    ['ends no handle', { endAll: async () => undefined }, 'ending all ends each handle'],
    ['lists what it cannot end', { endAll: undefined }, 'ending all ends each handle'],
    ['has documents, but signs no user in', { enter: undefined }, 'entering uses up a name'],
    ['throws', { forgive: () => Promise.reject(new Error('no connection')) }, 'forgiven'],
  ])('is broken by a ledger that %s', async (_, changes, promise) => {
    expect((await broken(changes)).join('\n')).toContain(promise)
  })

  it('names a store’s answer and the expected answer', async () => {
    const said = await broken({ findVerification: async () => null })
    expect(said).toContain('The store answers null, and should answer "sealed-1".')
  })

  it('is kept by a ledger without documents', async () => {
    const without = { document: undefined, changeDocument: undefined, enter: undefined }
    expect(await broken(without)).toEqual([])
  })

  it('is kept by a ledger without live documents', async () => {
    const without = { liveDocument: undefined, documentsOf: undefined, endAll: undefined }
    expect(await broken(without)).toEqual([])
  })

  it('is kept by the store in memory', async () => {
    expect(await broken({})).toEqual([])
  })
})
