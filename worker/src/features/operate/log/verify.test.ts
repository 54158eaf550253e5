import { describe, expect, test } from 'vitest'
import { DAY, logUnderTest } from '../../../test-support/audit-log.js'
import type { AuditHeads, AuditRecord, DamagedRow } from '../../../types/audit.js'
import { hashOf } from './canonical.js'
import type { ChainHeads } from './record.js'
import { AuditCheck, verifyAudit } from './verify.js'

const under = logUnderTest()
for (let count = 1; count <= 9; count++) {
  await under.record('sign-in', { person: `digest-${count % 3}`, provider: 'github' })
  under.pass(60_000)
}
const records: readonly AuditRecord[] = await under.all()
const heads: AuditHeads = await under.heads()
const now = under.now()

/** A log as somebody may have changed it, by `seq`. */
type Log = Map<number, AuditRecord | DamagedRow>

const at = (log: Log, seq: number) => log.get(seq) as AuditRecord
const edit = (log: Log, seq: number, members: Partial<AuditRecord>) =>
  log.set(seq, { ...at(log, seq), ...members })
/** With the hash that the record has now. */
const rehash = async (log: Log, seq: number) => edit(log, seq, { hash: await hashOf(at(log, seq)) })
const damage = (log: Log, seq: number) =>
  log.set(seq, { id: `ledger_${seq}`, chain: 'ledger', seq, damaged: true })
/** Rewrites the chain from a record on, as an attacker with the code can. */
async function rewrite(log: Log, from: number): Promise<void> {
  edit(log, from, { person: 'somebody-else' })
  await rehash(log, from)
  for (let seq = from + 1; log.has(seq); seq++) {
    edit(log, seq, { prev: at(log, seq - 1).hash })
    await rehash(log, seq)
  }
}
const moved = (log: Log, from: number, to: number) => {
  const { seq: _, ...members } = at(log, from)
  return { ...members, seq: to, id: `ledger_${to}` }
}

const ends = (changes: Partial<ChainHeads> = {}): AuditHeads => ({
  days: 30,
  chains: heads.chains.map((chain) => ({ ...chain, ...changes })),
})
const headAt = (seq: number) => {
  const { hash, time } = records[seq - 1] as AuditRecord
  return { seq, hash, time }
}

async function faultsOf(change: (log: Log) => unknown, given = heads, saved?: AuditHeads) {
  const log: Log = new Map(records.map((record) => [record.seq, record]))
  await change(log)
  const { faults, ok } = await verifyAudit(log.values(), given, saved, now)
  expect(ok).toBe(faults.length === 0)
  return faults.map(({ fault, seq }) => `${fault} ${seq}`).join()
}

test('a log without a fault has none, and the findings say which records it has', async () => {
  expect(await verifyAudit(records, heads, heads, now)).toEqual({
    ok: true,
    records: 9,
    chains: [{ chain: 'ledger', from: 1, to: 9 }],
    faults: [],
  })
})

test.each<[string, (log: Log) => unknown, string]>([
  ['the content of one', (log) => edit(log, 4, { person: 'other' }), 'edited 4'],
  ['a member that is added', (log) => edit(log, 4, { reason: 'x' }), 'edited 4'],
  ['a time', (log) => edit(log, 4, { time: '2026-11-28T12:03:00.001Z' }), 'edited 4'],
  ['the content of the first', (log) => edit(log, 1, { event: 'sign-out' }), 'edited 1'],
  ['the content of the last', (log) => edit(log, 9, { event: 'sign-out' }), 'edited 9'],
  ['a hash', (log) => edit(log, 4, { hash: 'other' }), 'edited 4,unlinked 5'],
  ['the hash of the last', (log) => edit(log, 9, { hash: 'other' }), 'edited 9,missing 9'],
  ['a prev', (log) => edit(log, 4, { prev: 'other' }), 'edited 4,unlinked 4'],
  ['the prev of the first', (log) => edit(log, 1, { prev: 'other' }), 'edited 1,unlinked 1'],
  ['an id', (log) => edit(log, 4, { id: 'ledger_5' }), 'edited 4'],
  ['a member that no record has', (log) => edit(log, 4, { count: 1.5 }), 'edited 4'],
  ['a damaged row', (log) => damage(log, 4), 'edited 4'],
  [
    'a damaged row beside an edited one',
    (log) => damage(edit(log, 5, { by: 'x' }), 4),
    'edited 4,edited 5',
  ],
  ['the last, damaged', (log) => damage(log, 9), 'edited 9'],
  ['the first, deleted', (log) => log.delete(1), 'missing 1'],
  ['one in the middle, deleted', (log) => log.delete(4), 'missing 4'],
  ['three, deleted', (log) => [4, 5, 6].map((seq) => log.delete(seq)), 'missing 4'],
  ['two holes', (log) => [2, 7].map((seq) => log.delete(seq)), 'missing 2,missing 7'],
  ['the last, deleted', (log) => log.delete(9), 'missing 9'],
  ['the last three, deleted', (log) => [7, 8, 9].map((seq) => log.delete(seq)), 'missing 7'],
  ['all, deleted', (log) => log.clear(), 'missing 1'],
  [
    'first, middle and last, deleted',
    (log) => [1, 5, 9].map((seq) => log.delete(seq)),
    'missing 1,missing 5,missing 9',
  ],
  [
    'two that changed places',
    (log) => {
      const [one, other] = [moved(log, 3, 6), moved(log, 6, 3)]
      log.set(6, one).set(3, other)
    },
    'edited 3,unlinked 3,unlinked 4,edited 6,unlinked 6,unlinked 7',
  ],
  ['one twice', (log) => log.set(99, at(log, 4)), 'unlinked 4'],
])('finds %s', async (_, change, found) => {
  expect(await faultsOf(change)).toBe(found)
})

test.each<[string, (log: Log) => unknown, string]>([
  [
    'one with its hash',
    async (log) => {
      edit(log, 4, { person: 'other' })
      await rehash(log, 4)
    },
    'unlinked 5',
  ],
  [
    'the last with its hash',
    async (log) => {
      edit(log, 9, { person: 'other' })
      await rehash(log, 9)
    },
    'missing 9',
  ],
  [
    'a deletion that is closed up',
    async (log) => {
      for (let seq = 4; seq < 9; seq++) log.set(seq, moved(log, seq + 1, seq))
      log.delete(9)
      edit(log, 4, { prev: at(log, 3).hash })
      await rehash(log, 4)
      for (let seq = 5; seq < 9; seq++) {
        edit(log, seq, { prev: at(log, seq - 1).hash })
        await rehash(log, seq)
      }
    },
    'missing 9',
  ],
  ['a rewritten chain', (log) => rewrite(log, 4), 'missing 9'],
])('finds by its head a change that has right hashes: %s', async (_, change, found) => {
  expect(await faultsOf(change)).toBe(found)
})

describe('with heads that were saved', () => {
  const saved = ends({ head: headAt(6) })
  /** The head as it is in the changed store. */
  async function rewrittenFrom(from: number, savedHeads: AuditHeads | undefined) {
    const log: Log = new Map(records.map((record) => [record.seq, record]))
    await rewrite(log, from)
    const { hash, time } = at(log, 9)
    const { faults } = await verifyAudit(
      log.values(),
      ends({ head: { seq: 9, hash, time } }),
      savedHeads,
      now,
    )
    return faults.map(({ fault, seq }) => `${fault} ${seq}`).join()
  }

  test('a chain that was rewritten before them is found, and one that was rewritten after them is not', async () => {
    expect(await rewrittenFrom(4, saved)).toBe('rewritten 6')
    expect(await rewrittenFrom(6, saved)).toBe('rewritten 6')
    expect(await rewrittenFrom(7, saved)).toBe('')
    expect(await rewrittenFrom(4, undefined)).toBe('')
  })

  test('a chain that is shorter than it was is found', async () => {
    const cut = (log: Log) => [5, 6, 7, 8, 9].map((seq) => log.delete(seq))
    expect(await faultsOf(cut, ends({ head: headAt(4) }), saved)).toBe('rewritten 6')
  })

  test('a chain that is gone is found', async () => {
    expect(await faultsOf((log) => log.clear(), { days: 30, chains: [] }, saved)).toBe('gone 6')
  })

  test('an edited record has its place still, and a damaged one has not', async () => {
    expect(await faultsOf((log) => edit(log, 6, { by: 'x' }), heads, saved)).toBe('edited 6')
    expect(await faultsOf((log) => damage(log, 6), heads, saved)).toBe('edited 6,rewritten 6')
  })

  test('a deleted record is a fault unless it is older than the days', async () => {
    const cut = (log: Log) => [1, 2, 3, 4, 5, 6, 7].map((seq) => log.delete(seq))
    const given = ends({ floor: headAt(7) })
    const late = now + 30 * DAY
    const left = records.slice(7)
    expect((await verifyAudit(left, given, saved, late)).faults).toEqual([])
    expect(await faultsOf(cut, given, saved)).toBe('rewritten 6,early 7')
    // A place in front of the chain that somebody has made older.
    const older = ends({ floor: { ...headAt(7), time: new Date(now - 31 * DAY).toISOString() } })
    expect(await faultsOf(cut, older, saved)).toBe('rewritten 6')
    expect(await faultsOf(cut, older)).toBe('')
    const atFloor = ends({ floor: headAt(6) })
    expect((await verifyAudit(records.slice(6), atFloor, saved, late)).faults).toEqual([])
    const other = ends({ floor: { ...headAt(6), hash: 'other' } })
    expect((await verifyAudit(records.slice(6), other, saved, late)).faults).toEqual([
      { fault: 'rewritten', chain: 'ledger', seq: 6 },
      { fault: 'unlinked', chain: 'ledger', seq: 7 },
    ])
  })
})

describe('the place that the log begins after', () => {
  const late = now + 30 * DAY
  test.each<[string, Partial<ChainHeads>, number, string]>([
    ['is the last that was deleted', { floor: headAt(3) }, 3, ''],
    ['is followed by a hole', { floor: headAt(3) }, 4, 'missing 4'],
    [
      'has another hash than the next one says',
      { floor: { ...headAt(3), hash: 'x' } },
      3,
      'unlinked 4',
    ],
    ['is after records that are there', { floor: headAt(3) }, 1, 'missing 2'],
    ['has no time', { floor: { ...headAt(3), time: null } }, 3, 'early 3'],
    ['has an invalid time', { floor: { ...headAt(3), time: 'long ago' } }, 3, 'early 3'],
  ])('%s', async (_, changes, from, found) => {
    const { faults } = await verifyAudit(records.slice(from), ends(changes), undefined, late)
    expect(faults.map(({ fault, seq }) => `${fault} ${seq}`).join()).toBe(found)
  })

  test('may move while records are read', async () => {
    const check = new AuditCheck({ heads, now: late })
    await check.add(records.slice(3).toReversed())
    expect(check.end(ends({ floor: headAt(3) })).faults).toEqual([])
    const other = new AuditCheck({ heads, now: late })
    await other.add(records.slice(1).toReversed())
    expect(other.end(ends({ floor: headAt(3) })).faults).toEqual([])
    const bad = new AuditCheck({ heads, now: late })
    await bad.add(records.slice(4).toReversed())
    expect(bad.end(ends({ floor: headAt(3) })).faults).toEqual([
      { fault: 'missing', chain: 'ledger', seq: 4 },
    ])
  })

  test('an empty log whose records are all deleted has no fault', async () => {
    const none = ends({ floor: headAt(9), head: headAt(9) })
    expect(await verifyAudit([], none, heads, late)).toEqual({
      ok: true,
      records: 0,
      chains: [],
      faults: [],
    })
  })
})

test('records that came after the heads were read are allowed', async () => {
  expect(await faultsOf(() => {}, ends({ head: headAt(7) }))).toBe('')
})

test('records come in any order, in pages of any size, and of several chains', async () => {
  const others = records.map((record) => ({ ...record, chain: 'other', id: `other_${record.seq}` }))
  const check = new AuditCheck({ heads, now })
  const order = [5, 1, 9, 2, 8, 3, 7, 4, 6]
  for (const seq of order) await check.add([records[seq - 1]])
  await check.add(others.slice(0, 1))
  const { faults, chains, records: count } = check.end()
  expect(count).toBe(10)
  expect(chains).toEqual([
    { chain: 'ledger', from: 1, to: 9 },
    { chain: 'other', from: 1, to: 1 },
  ])
  expect(faults).toEqual([{ fault: 'edited', chain: 'other', seq: 1 }])
})

test('a file without heads is checked from its first to its last record, and gives heads to keep', async () => {
  const check = new AuditCheck({ now })
  await check.add(records.slice(3))
  expect(check.end()).toMatchObject({ ok: true, chains: [{ chain: 'ledger', from: 4, to: 9 }] })
  expect(check.heads.chains).toEqual([
    { chain: 'ledger', floor: { seq: 3, hash: headAt(3).hash, time: null }, head: headAt(9) },
  ])
  expect((await verifyAudit(records.slice(3), undefined, check.heads, now)).ok).toBe(true)
  expect((await verifyAudit(records.slice(3, 6), undefined, check.heads, now)).faults).toEqual([
    { fault: 'rewritten', chain: 'ledger', seq: 9 },
  ])
})

test.each([
  null,
  7,
  'text',
  [],
  {},
  { chain: 'ledger' },
  { seq: 1 },
  { chain: 1, seq: 1 },
  { chain: 'ledger', seq: 1.5 },
])('a line that is not a record is a fault, and the rest is checked: %o', async (line) => {
  const { faults, records: count } = await verifyAudit([...records, line], heads, undefined, now)
  expect(count).toBe(10)
  expect(faults).toEqual([{ fault: 'edited', chain: '', seq: 0 }])
})

test.each([
  ['a member is an object', { reason: {} }],
  ['a text has half of a pair', { reason: '\ud800' }],
  ['a number is not finite', { count: Number.NaN }],
  ['it has no hash', { hash: undefined }],
])('a value that the log never writes is edited: %s', async (_, members) => {
  const log = records.map((record) => (record.seq === 4 ? { ...record, ...members } : record))
  const { faults } = await verifyAudit(log, heads, undefined, now)
  expect(faults).toEqual([{ fault: 'edited', chain: 'ledger', seq: 4 }])
})
