import { expect, test } from 'vitest'
import { logUnderTest } from '../../../test-support/audit-log.js'
import { verifyAudit } from './verify.js'

const MINUTE = 60_000

/** Causes refused sign-ins at once, and ends each wait that they begin. */
async function flood(
  { record, endWaits }: ReturnType<typeof logUnderTest>,
  count: number,
  event = 'sign-in-refused',
) {
  const all = Array.from({ length: count }, () => record(event, { claimed: 'digest' }))
  const done = Promise.all(all)
  const isDone = done.then(() => true)
  while (!(await Promise.race([isDone, new Promise((go) => setTimeout(go, 1))]))) endWaits()
}

/** How many records each event has. */
function counted(records: readonly { readonly event: string }[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { event } of records) counts[event] = (counts[event] ?? 0) + 1
  return counts
}

test('a minute has sixty records of an event that anybody can cause, and the rest is one record', async () => {
  const log = logUnderTest()
  await flood(log, 200)
  await flood(log, 70, 'too-many-attempts')
  await log.record('sign-in')
  expect(counted(await log.all())).toEqual({
    'sign-in-refused': 60,
    'too-many-attempts': 60,
    'sign-in': 1,
  })
  log.pass(MINUTE)
  await log.log().sweep()
  const records = await log.all()
  expect(records.slice(-2)).toEqual([
    expect.objectContaining({
      event: 'events-omitted',
      error: 'sign-in-refused',
      count: 140,
      seq: 122,
    }),
    expect.objectContaining({ event: 'events-omitted', error: 'too-many-attempts', count: 10 }),
  ])
  expect(records.at(-1)?.time).toBe('2026-11-28T12:00:59.999Z')
  await log.log().sweep()
  expect(await log.all()).toHaveLength(123)
  expect((await verifyAudit(records, await log.heads(), undefined, log.now())).ok).toBe(true)
})

test('other events are recorded however many there are', async () => {
  const log = logUnderTest()
  await flood(log, 100, 'sign-in')
  expect(await log.all()).toHaveLength(100)
})

test('attack: one person fills the log with one thing that they do: sixty records a minute, and the rest is one record', async () => {
  const log = logUnderTest()
  const act = (event: string, members: object) =>
    Promise.all(Array.from({ length: 70 }, () => log.record(event, members)))
  const wait = setInterval(() => log.endWaits(), 1)
  await act('app-allowed', { person: 'ada' })
  await act('app-allowed', { person: 'grace' })
  await act('way-added', { person: 'ada' })
  await act('sessions-ended', { person: 'ada', by: 'operator' })
  clearInterval(wait)
  expect(counted(await log.all())).toEqual({
    'app-allowed': 120,
    'way-added': 60,
    'sessions-ended': 70,
  })
  log.pass(MINUTE)
  await log.log().sweep()
  const omitted = (await log.all()).slice(-2)
  expect(omitted).toMatchObject([
    { event: 'events-omitted', error: 'app-allowed', count: 20 },
    { event: 'events-omitted', error: 'way-added', count: 10 },
  ])
})

test('the next minute has sixty again, after the record of what the one before left out', async () => {
  const log = logUnderTest()
  await flood(log, 62)
  log.pass(MINUTE)
  await flood(log, 61)
  const records = await log.all()
  expect(records).toHaveLength(121)
  expect(records[60]).toMatchObject({ event: 'events-omitted', count: 2 })
  expect(records[61]).toMatchObject({ event: 'sign-in-refused' })
})

test('the alarm is to run when the minute ends, and only if something was left out', async () => {
  const log = logUnderTest()
  await flood(log, 60)
  expect(log.log().due).toBe(log.now() + 30 * MINUTE)
  await flood(log, 1)
  expect(log.log().due).toBe(log.now() + MINUTE)
  expect(await log.log().sweep()).toBe(log.now() + MINUTE)
  log.pass(MINUTE)
  expect(await log.log().sweep()).toBe(log.now() + 30 * MINUTE)
})

test('an object that has restarted records the omitted events, in the minute or after it', async () => {
  const log = logUnderTest()
  await flood(log, 100)
  log.restart()
  await flood(log, 50)
  expect(await log.all()).toHaveLength(60)
  log.restart()
  log.pass(MINUTE)
  expect(await log.log().sweep()).toBe(log.now() + 30 * MINUTE)
  expect((await log.all()).at(-1)).toMatchObject({ event: 'events-omitted', count: 90 })
  log.restart()
  await log.log().sweep()
  expect(await log.all()).toHaveLength(61)
})

test('an object that has restarted knows how many records this minute has', async () => {
  const log = logUnderTest()
  await flood(log, 40)
  await flood(log, 30, 'sign-in')
  log.restart()
  await flood(log, 40)
  expect(counted(await log.all())).toEqual({ 'sign-in-refused': 60, 'sign-in': 30 })
})

test('a repeated call of an event without a record is counted once', async () => {
  const log = logUnderTest()
  await flood(log, 60)
  const calls = [1, 2, 3].map(() => log.record('sign-in-refused', {}, 'the-same'))
  await Promise.all(calls)
  await log.record('sign-in-refused', {}, 'the-same')
  log.pass(MINUTE)
  await log.log().sweep()
  expect((await log.all()).at(-1)).toMatchObject({ event: 'events-omitted', count: 1 })
})

test('a flood of a thousand writes its count a few times, and each call is answered after its count is stored', async () => {
  const log = logUnderTest()
  await flood(log, 60)
  log.run('CREATE TABLE writes (value TEXT)')
  log.run(`CREATE TRIGGER seen AFTER INSERT ON audit_state WHEN new.name = 'omitted'
    BEGIN INSERT INTO writes VALUES (new.value); END`)
  const stored = () => JSON.parse(log.run('SELECT value FROM writes').at(-1)?.value as string)
  // The first is written at once.
  await log.record('sign-in-refused')
  expect(stored().counts).toEqual({ 'sign-in-refused': 1 })
  let answered = 0
  const calls = Array.from({ length: 1_000 }, () =>
    log.record('sign-in-refused').then(() => answered++),
  )
  await expect.poll(() => log.log().due).toBeLessThan(log.now() + 2 * MINUTE)
  await new Promise((go) => setTimeout(go, 50))
  expect(answered).toBe(0)
  log.endWaits()
  await Promise.all(calls)
  expect(stored().counts).toEqual({ 'sign-in-refused': 1_001 })
  expect(log.run('SELECT count(*) AS count FROM writes')).toEqual([{ count: 2 }])
})

test('an omitted event whose count cannot be written is not answered, and can be repeated', async () => {
  const log = logUnderTest()
  await flood(log, 60)
  log.run(
    `CREATE TRIGGER broken BEFORE INSERT ON audit_state BEGIN SELECT RAISE(ABORT, 'full'); END`,
  )
  await expect(log.record('sign-in-refused', {}, 'again')).rejects.toThrow('full')
  log.run('DROP TRIGGER broken')
  log.pass(1_000)
  await log.record('sign-in-refused', {}, 'again')
})
