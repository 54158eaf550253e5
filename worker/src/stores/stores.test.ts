import { describe, expect, it } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { FakeLedgers } from '../test-support/deployment.js'
import { FakeKv } from '../test-support/kv.js'
import { sqliteLedger } from '../test-support/sqlite.js'
import { type ContractCase, type ContractClock, type Stored, storeContract } from '../testing.js'
import { ledgerContract } from './contract/ledger-contract.js'
import { durableLedger } from './durable-ledger.js'
import { kvSessionStore } from './kv.js'
import type { Layout } from './ledger/placement.js'
import type { Ledger } from './ledger/rules.js'
import { memoryStore } from './memory.js'
import { sqliteStore } from './sqlite.js'
import { transactedLedger } from './transacted-ledger.js'

/** The clock of the whole process, which also the stores below use that get no clock. */
const ofProcess = { now: () => Date.now(), pass: clock().pass }

const stores: [string, readonly ContractCase[]][] = [
  [
    'memory',
    storeContract({
      sessions: (now) => memoryStore(now).sessions,
      rows: (now) => memoryStore(now).rows,
    }),
  ],
  [
    'a file',
    storeContract({
      sessions: (now) => sqliteStore(':memory:', now).sessions,
      rows: (now) => sqliteStore(':memory:', now).rows,
    }),
  ],
  [
    'KV',
    storeContract({ sessions: () => kvSessionStore(new FakeKv().at('here')), clock: ofProcess }),
  ],
]

describe.each(stores)('the contract of stores: %s', (_, contract) => {
  it.each(contract.map(({ name, run }) => [name, run] as const))('%s', (_name, run) => run())
})

/** Rows over a network: each call takes a while, and others come in between. */
function distantRows(now: () => number): Stored {
  const { rows } = memoryStore(now)
  const pause = () => new Promise((resolve) => setImmediate(resolve))
  return {
    async read(questions) {
      await pause()
      const read = await rows.read(questions)
      await pause()
      return read
    },
    async commit(changes, readAt) {
      await pause()
      const isDone = await rows.commit(changes, readAt)
      await pause()
      return isDone
    },
  }
}

const objects = (...shards: (number | Layout)[]): Made => [
  () => durableLedger(new FakeLedgers().binding, shards),
  ofProcess,
]

type Made = readonly [make: (now: () => number) => Ledger, clock?: ContractClock]

const ledgers: [string, Made][] = [
  ['memory', [(now) => memoryStore(now).ledger]],
  ['a file', [(now) => sqliteStore(':memory:', now).ledger]],
  ['SQLite', [sqliteLedger]],
  ['rows that answer later', [(now) => transactedLedger(distantRows(now))]],
  ['one object', objects(1)],
  ['four objects', objects(4)],
  ['five objects', objects(5)],
  ['one object, four to come', objects(1, 4)],
  ['one object, five to come', objects(1, 5)],
  ['a hundred objects', objects(100)],
  ['four objects, a hundred to come', objects(4, 100)],
  ['four objects, regions to come', objects(4, { count: 4, regions: ['weur', 'apac'] })],
]

describe.each(ledgers)('the rules of the ledger: %s', (_, made) => {
  const contract = ledgerContract(...made)
  it.each(contract.map(({ name, run }) => [name, run] as const))('%s', (_name, run) => run())
})

/** The cases that fail, with what they say. */
async function failures(cases: readonly ContractCase[]): Promise<string[]> {
  const said = cases.map(({ name, run }) =>
    run().then(
      () => [],
      (error: Error) => [name, error.message],
    ),
  )
  return (await Promise.all(said)).flat()
}

describe('the contract of stores', () => {
  const broken = (change: (rows: Stored) => Partial<Stored>) =>
    failures(
      storeContract({
        rows(now) {
          const { rows } = memoryStore(now)
          return { ...rows, ...change(rows) }
        },
      }),
    )

  it.each<[string, (rows: Stored) => Partial<Stored>, string]>([
    ['keeps nothing', () => ({ commit: async () => true }), 'read as it was written'],
    ['lets nothing through', () => ({ commit: async () => false }), 'read as it was written'],
    [
      'compares nothing',
      (rows) => ({
        commit: (changes, readAt) =>
          rows.commit(
            changes.map(({ before: _, ...change }) => change),
            readAt,
          ),
      }),
      'written once',
    ],
    [
      'writes the part that fits',
      (rows) => ({
        async commit(changes, readAt) {
          const done = []
          for (const change of changes) done.push(await rows.commit([change], readAt))
          return done.every(Boolean)
        },
      }),
      'keeps every change from being written',
    ],
    [
      'compares in a step of its own',
      (rows) => ({
        async commit(changes, readAt) {
          const compared = changes.map(({ after: _, ...change }) => change)
          if (!(await rows.commit(compared, readAt))) return false
          await Promise.resolve()
          return rows.commit(
            changes.map(({ before: _, ...change }) => change),
            null,
          )
        },
      }),
      'one of fifty commits at once',
    ],
    [
      'takes a decision of any age',
      (rows) => ({ commit: (changes) => rows.commit(changes, null) }),
      'read too long ago',
    ],
    [
      'answers by name alone',
      (rows) => ({
        async read(questions) {
          const read = await rows.read(questions)
          return { ...read, answers: read.answers.toReversed() }
        },
      }),
      'in the order of the questions',
    ],
    [
      'lists one row less',
      (rows) => ({
        async read(questions) {
          const { answers, now } = await rows.read(questions)
          const less = answers.map((one) => (Array.isArray(one) ? one.slice(1) : one))
          return { answers: less, now }
        },
      }),
      'found by their beginning',
    ],
    [
      'has a clock in seconds',
      (rows) => ({
        async read(questions) {
          const read = await rows.read(questions)
          return { ...read, now: read.now / 1000 }
        },
      }),
      'in milliseconds',
    ],
    ['throws', () => ({ read: () => Promise.reject(new Error('no connection')) }), 'null'],
  ])('is broken by rows whose store %s', async (_, change, promise) => {
    expect((await broken(change)).join('\n')).toContain(promise)
  })

  it('names a store’s answer and the expected answer', async () => {
    const said = await broken(() => ({ commit: async () => false }))
    expect(said).toContain('The store answers false, and should answer true.')
  })

  it('is kept by the store in memory', async () => {
    expect(await broken(() => ({}))).toEqual([])
  })
})

describe('the cases of the ledger', () => {
  const broken = (changes: Partial<Ledger>) =>
    failures(ledgerContract((now) => ({ ...memoryStore(now).ledger, ...changes })))

  it.each<[string, Record<string, unknown>, string]>([
    ['lets everybody through', { consume: async () => true }, 'consumed once'],
    ['forgets every ending', { isRevoked: async () => false }, 'stays revoked'],
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
    ['throws', { forgive: () => Promise.reject(new Error('no connection')) }, 'forgiven'],
  ])('notice a ledger that %s', async (_, changes, promise) => {
    expect((await broken(changes as Partial<Ledger>)).join('\n')).toContain(promise)
  })
})
