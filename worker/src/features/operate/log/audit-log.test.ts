import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { logUnderTest } from '../../../test-support/audit-log.js'
import type { AuditEntry, AuditRecord } from '../../../types/audit.js'

/** Written a second time, so that a mistake of one is not the other's. Members of a record are in no object of their own. */
function hashAgain({ hash: _, ...members }: AuditRecord): string {
  const sorted = Object.entries(members).sort(([one], [other]) => (one < other ? -1 : 1))
  return createHash('sha256')
    .update(JSON.stringify(Object.fromEntries(sorted)))
    .digest('base64url')
}

/** Is each record at its place, with the hash before it and its own? */
function expectChain(records: readonly AuditRecord[], from = 1, before: string | null = null) {
  expect(records.map(({ seq }) => seq)).toEqual(records.map((_, at) => from + at))
  expect(records.map(({ id }) => id)).toEqual(records.map((_, at) => `ledger_${from + at}`))
  expect(records.map(({ prev }) => prev)).toEqual(
    [before, ...records.map(({ hash }) => hash)].slice(0, -1),
  )
  expect(records.map(({ hash }) => hash)).toEqual(records.map(hashAgain))
}

test('a record has what its event has, its place, and the hash of the one before', async () => {
  const { record, all, entry } = logUnderTest()
  await record('sign-in', { person: 'digest-of-ada', provider: 'github' })
  await record('sessions-ended', { which: 'all', by: 'operator', operator: 'night', count: 2 })
  const [first, second] = await all()
  expect(first).toEqual({
    ...entry('sign-in', { person: 'digest-of-ada', provider: 'github' }),
    id: 'ledger_1',
    chain: 'ledger',
    seq: 1,
    prev: null,
    hash: expect.stringMatching(/^[\w-]{43}$/),
  })
  expect(second).toMatchObject({ seq: 2, prev: first?.hash, which: 'all', count: 2 })
  expectChain(await all())
})

test('a log has no table before its first record, and then no head and no record', async () => {
  const { run, log, record } = logUnderTest()
  expect(await log().auditHead()).toBeNull()
  expect(await log().records({ limit: 10 })).toEqual({ records: [], next: null })
  expect(await log().sweep()).toBeUndefined()
  expect(run('SELECT name FROM sqlite_master')).toEqual([])
  await record()
  expect(run(`SELECT name FROM sqlite_master WHERE name LIKE 'audit%'`)).toHaveLength(2)
})

test('a hundred calls at once have a place each, in the order in which they came', async () => {
  const { record, all } = logUnderTest()
  await Promise.all(Array.from({ length: 100 }, (_, at) => record('sign-in', { count: at })))
  const records = await all()
  expectChain(records)
  expect(records.map(({ count }) => count)).toEqual(records.map((_, at) => at))
})

test('a repeated call writes nothing more: at once, later, and after the object has restarted', async () => {
  const { record, all, restart } = logUnderTest()
  await Promise.all([record('sign-in', {}, 'one'), record('sign-in', {}, 'one')])
  await record('sign-in', {}, 'two')
  await record('sign-in', {}, 'one')
  restart()
  await Promise.all([record('sign-in', {}, 'two'), record('sign-out', {}, 'three')])
  expect((await all()).map(({ event }) => event)).toEqual(['sign-in', 'sign-in', 'sign-out'])
})

test('no nonce is in a record', async () => {
  const { record, all, run } = logUnderTest()
  await record('sign-in', {}, 'a-nonce-of-a-call')
  expect(JSON.stringify(await all())).not.toContain('a-nonce')
  expect(run('SELECT nonce FROM audit')).toEqual([{ nonce: 'a-nonce-of-a-call' }])
})

test('a chain goes on where it was when the object restarts', async () => {
  const { record, all, restart } = logUnderTest()
  for (let round = 0; round < 5; round++) {
    await Promise.all([record(), record(), record()])
    restart()
  }
  const records = await all()
  expect(records).toHaveLength(15)
  expectChain(records)
})

test('a write that fails leaves no hole, and the call can be repeated', async () => {
  const { record, all, run } = logUnderTest()
  await record()
  run(`CREATE TRIGGER broken BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'full'); END`)
  await expect(record('sign-out', {}, 'again')).rejects.toThrow('full')
  run('DROP TRIGGER broken')
  await Promise.all([record('sign-out', {}, 'again'), record('step-up')])
  const records = await all()
  expect(records.map(({ event }) => event)).toEqual(['sign-in', 'sign-out', 'step-up'])
  expectChain(records)
})

test('two objects over the same rows, as when an old one lives on, make no fork', async () => {
  const { record, all, restart, log } = logUnderTest()
  await record()
  const old = log()
  restart()
  await record()
  const entry = { time: new Date().toISOString(), event: 'sign-out' }
  await old.record('ledger', entry, 'late')
  expectChain(await all())
  expect(await all()).toHaveLength(3)
})

test('texts have no control character and no half of a pair, numbers are whole, other members are left out', async () => {
  const { record, all } = logUnderTest()
  const hostile = {
    reason: 'line\nbreak\u0007 \u{1f600} \ud800 \u009b',
    place: 'São Paulo, BR',
    wait: 1.2,
    count: Number.NaN,
    device: 7,
    secret: 'x',
    error: 'e'.repeat(5_000),
  } as unknown as Partial<AuditEntry>
  await record('sign-in-refused', hostile)
  const [first] = await all()
  expect(first).toMatchObject({
    reason: 'line?break? \u{1f600} ? ?',
    place: 'São Paulo, BR',
    wait: 2,
  })
  expect(first?.error).toHaveLength(1_000)
  expect(Object.keys(first ?? {})).not.toEqual(
    expect.arrayContaining(['secret', 'count', 'device']),
  )
  expectChain(await all())
})

test.each([
  {},
  { event: 'sign-in' },
  { time: 'soon', event: 'sign-in' },
  { time: '2026-11-28T00:00:00.000Z' },
])('an entry that has no time or no event is refused, and leaves no hole: %o', async (entry) => {
  const { log, record, all } = logUnderTest()
  await expect(log().record('ledger', entry as AuditEntry, 'bad')).rejects.toThrow(TypeError)
  await record()
  expectChain(await all())
})

test('a chain keeps its first name, and a damaged newest row does not stop it', async () => {
  const { log, entry, record, run, restart, all } = logUnderTest()
  await record()
  run(`UPDATE audit SET content = 'rubbish'`)
  restart()
  await log().record('another', entry('sign-out'), 'two')
  expect(await all()).toEqual([
    { id: 'ledger_1', chain: 'ledger', seq: 1, damaged: true },
    expect.objectContaining({ id: 'ledger_2', prev: null }),
  ])
})
