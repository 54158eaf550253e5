import { expect, test } from 'vitest'
import { logUnderTest } from '../../../test-support/audit-log.js'
import type { RecordsQuery } from './record.js'

const MINUTE = 60_000

/** All pages of a query, and how many there were. */
async function pages(under: ReturnType<typeof logUnderTest>, query: Omit<RecordsQuery, 'before'>) {
  const found: number[] = []
  let count = 0
  for (let before: number | undefined; ; count++) {
    const { records, next } = await under
      .log()
      .records({ ...query, ...(before === undefined ? {} : { before }) })
    found.push(...records.map(({ seq }) => seq))
    if (next === null) return { found, count: count + 1 }
    expect(next).toBeLessThan(before ?? Number.MAX_SAFE_INTEGER)
    before = next
  }
}

async function filled() {
  const under = logUnderTest()
  for (let seq = 1; seq <= 30; seq++) {
    const [person, network] = [`person-${seq % 3}`, `network-${seq % 5}`]
    await under.record(seq % 2 ? 'sign-in' : 'sign-out', { person, network })
    under.pass(MINUTE)
  }
  return under
}

test('records are found the newest first, page by page', async () => {
  const under = await filled()
  const all = Array.from({ length: 30 }, (_, at) => 30 - at)
  expect(await pages(under, { limit: 30 })).toEqual({ found: all, count: 1 })
  expect(await pages(under, { limit: 7 })).toEqual({ found: all, count: 5 })
  expect((await pages(under, { limit: Number.NaN })).found).toEqual(all)
})

test.each<[string, Partial<RecordsQuery>, (seq: number) => boolean]>([
  ['a person', { persons: ['person-1'] }, (seq) => seq % 3 === 1],
  [
    'a person by the digests of two secrets',
    { persons: ['person-1', 'person-2'] },
    (seq) => seq % 3 > 0,
  ],
  ['a network', { networks: ['network-4'] }, (seq) => seq % 5 === 4],
  ['an event', { event: 'sign-out' }, (seq) => seq % 2 === 0],
  [
    'a person on a network',
    { persons: ['person-1'], networks: ['network-4'] },
    (seq) => seq % 15 === 4,
  ],
  [
    'a network and an event',
    { networks: ['network-4'], event: 'sign-in' },
    (seq) => seq % 10 === 9,
  ],
  ['nobody', { persons: [] }, () => false],
  ['somebody who has none', { persons: ['person-7'] }, () => false],
  ['a person by the digest of a network', { persons: ['network-4'] }, () => false],
  ['a part of a digest', { persons: ['person-'] }, () => false],
])('finds the records of %s', async (_, query, isWanted) => {
  const under = await filled()
  const wanted = Array.from({ length: 30 }, (_, at) => 30 - at).filter(isWanted)
  expect((await pages(under, { limit: 200, ...query })).found).toEqual(wanted)
  expect((await pages(under, { limit: 2, ...query })).found).toEqual(wanted)
})

test('attack: a person who has taken in many others is found by the digest of each of them', async () => {
  const under = logUnderTest()
  const persons = Array.from({ length: 123 }, (_, at) => `digest-${at}-`)
  for (const person of persons) await under.record('sign-in', { person })
  const all = persons.map((_, at) => persons.length - at)
  expect((await pages(under, { persons, limit: 200 })).found).toEqual(all)
  expect((await pages(under, { persons: persons.toReversed(), limit: 7 })).found).toEqual(all)
})

test('a person is found where a request names them, and where they are merged', async () => {
  const { record, log } = logUnderTest()
  await record('sign-in-refused', { claimed: 'ada' })
  await record('people-merged', { person: 'grace', into: 'ada' })
  await record('sign-in', { person: 'grace', code: 'ada' })
  const { records } = await log().records({ persons: ['ada'], limit: 10 })
  expect(records.map(({ seq }) => seq)).toEqual([2, 1])
})

test('`since` counts from that millisecond on, and `until` before it', async () => {
  const under = await filled()
  const time = (seq: number) => Date.parse('2026-11-28T12:00:00.000Z') + (seq - 1) * MINUTE
  const between = async (since?: number, until?: number) =>
    (await pages(under, { limit: 3, ...(since && { since }), ...(until && { until }) })).found
  expect(await between(time(28))).toEqual([30, 29, 28])
  expect(await between(time(28) + 1)).toEqual([30, 29])
  expect(await between(undefined, time(4))).toEqual([3, 2, 1])
  expect(await between(undefined, time(4) + 1)).toEqual([4, 3, 2, 1])
  expect(await between(time(9), time(12))).toEqual([11, 10, 9])
  expect(await between(time(31))).toEqual([])
  expect(await between(undefined, time(1))).toEqual([])
})

test('a call looks at some thousand rows, also if it finds nothing, and times are found by halves', async () => {
  const under = logUnderTest()
  await under.record('sign-in', { person: 'first' })
  const [row] = under.run('SELECT content FROM audit')
  const content = String(row?.content).replace('first', 'other')
  under.run(
    `WITH RECURSIVE counted(n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM counted WHERE n < 20000)
    INSERT INTO audit (seq, at, nonce, content) SELECT n, ${under.now()}, NULL,
      json_set(?, '$.seq', n, '$.id', 'ledger_' || n, '$.time',
        strftime('%Y-%m-%dT%H:%M:%fZ', ${under.now() / 1000} + n * 60, 'unixepoch')) FROM counted`,
    content,
  )
  const { found, count } = await pages(under, { persons: ['first'], limit: 50 })
  expect([found, count]).toEqual([[1], 4])
  const at = (seq: number) => under.now() + seq * MINUTE
  const inOne = await under.log().records({ since: at(2_000), until: at(2_010), limit: 50 })
  expect(inOne.records.map(({ seq }) => seq)).toEqual(
    Array.from({ length: 10 }, (_, step) => 2_009 - step),
  )
  const { records, next } = await under
    .log()
    .records({ since: at(19_990), event: 'nothing', limit: 50 })
  expect([records, next]).toEqual([[], null])
})

test('a row that is not a record any more is shown as damaged, unless the query has a filter', async () => {
  const under = await filled()
  const set = (seq: number, content: string | null) =>
    under.run('UPDATE audit SET content = ? WHERE seq = ?', content, seq)
  const [other] = under.run('SELECT content FROM audit WHERE seq = 9')
  set(30, 'rubbish')
  set(29, '{}')
  set(28, '')
  set(27, other?.content as string)
  set(26, 'null')
  const damaged = (seq: number) => ({ id: `ledger_${seq}`, chain: 'ledger', seq, damaged: true })
  const { records } = await under.log().records({ limit: 6 })
  expect(records).toEqual(
    [30, 29, 28, 27, 26].map(damaged).concat(expect.objectContaining({ seq: 25 })),
  )
  expect((await pages(under, { event: 'sign-out', limit: 3 })).found).not.toContain(30)
})

test('a hole, and a row at a place that no record has, stop no query', async () => {
  const under = await filled()
  under.run('DELETE FROM audit WHERE seq IN (30, 20, 1)')
  under.run(`INSERT INTO audit VALUES (9007199254740990, 0, NULL, 'x'), (-4, 0, NULL, 'x')`)
  const { found } = await pages(under, { limit: 4 })
  expect(found).toHaveLength(29)
  expect(found.at(-1)).toBe(-4)
  expect((await pages(under, { until: Number.MAX_SAFE_INTEGER, limit: 4 })).found).toHaveLength(29)
})

test('the state of the log that somebody has changed stops no query and no record', async () => {
  const under = await filled()
  under.run(`UPDATE audit_state SET value = 'rubbish'`)
  under.restart()
  await under.record()
  expect((await under.log().auditHead())?.floor).toEqual({ seq: 0, hash: null, time: null })
  expect(await pages(under, { limit: 31 })).toMatchObject({ count: 1 })
})
