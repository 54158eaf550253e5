import { expect, test } from 'vitest'
import { DAY, logUnderTest } from '../../../test-support/audit-log.js'
import { verifyAudit } from './verify.js'

const HOUR = 60 * 60 * 1000

/** Runs the alarm whenever it is due, until a time. */
async function runUntil({ log, now, pass }: ReturnType<typeof logUnderTest>, end: number) {
  for (
    let next = await log().sweep();
    next !== undefined && next <= end;
    next = await log().sweep()
  ) {
    pass(next - now())
  }
  pass(Math.max(0, end - now()))
}

test('a record is deleted when it is older than the days, an hour later at most, and no younger one', async () => {
  const log = logUnderTest(2)
  for (let hour = 0; hour < 60; hour++) {
    await log.record()
    await runUntil(log, log.now() + HOUR)
    const oldest = Math.min(...(await log.all()).map(({ time }) => Date.parse(time)))
    expect(log.now() - oldest).toBeLessThanOrEqual(2 * DAY + HOUR)
    if (hour > 50) expect(log.now() - oldest).toBeGreaterThanOrEqual(2 * DAY)
    const { ok } = await verifyAudit(await log.all(), await log.heads(), undefined, log.now())
    expect(ok).toBe(true)
  }
})

test('the floor is the last that was deleted, and the head stays when nothing is left', async () => {
  const log = logUnderTest(1)
  expect(await log.log().auditHead()).toBeNull()
  for (let count = 0; count < 5; count++) await log.record()
  const records = await log.all()
  const last = (at: number) => {
    const { seq, hash, time } = records[at] ?? {}
    return { seq, hash, time }
  }
  expect(await log.log().auditHead()).toEqual({
    floor: { seq: 0, hash: null, time: null },
    head: last(4),
  })
  log.pass(DAY + HOUR)
  expect(await log.log().sweep()).toBeUndefined()
  expect(await log.all()).toEqual([])
  expect(await log.log().auditHead()).toEqual({ floor: last(4), head: last(4) })
  log.restart()
  await log.record()
  const [next] = await log.all()
  expect(next).toMatchObject({ seq: 6, prev: last(4).hash })
  const saved = { days: 1, chains: [{ chain: 'ledger', floor: last(4), head: last(4) }] }
  const { ok } = await verifyAudit([next], await log.heads(), saved as never, log.now())
  expect(ok).toBe(true)
})

test('a damaged row is deleted too, and the floor says that its hash is not known', async () => {
  const log = logUnderTest(1)
  await log.record()
  await log.record()
  log.run(`UPDATE audit SET content = '{' WHERE seq = 2`)
  log.pass(DAY + HOUR)
  await log.record()
  await log.log().sweep()
  expect((await log.heads()).chains[0]).toMatchObject({
    floor: { seq: 2, hash: null, time: '2026-11-28T12:00:00.000Z' },
    head: { seq: 3 },
  })
  const { faults } = await verifyAudit(await log.all(), await log.heads(), undefined, log.now())
  expect(faults).toEqual([])
})

test('many records are deleted in parts, a second apart', async () => {
  const log = logUnderTest(1)
  await log.record()
  log.run(`WITH RECURSIVE counted(n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM counted WHERE n < 12000)
    INSERT INTO audit (seq, at, nonce, content) SELECT n, ${log.now()}, NULL, '{}' FROM counted`)
  log.pass(2 * DAY)
  log.restart()
  await log.record()
  const left = () => log.run('SELECT count(*) AS count FROM audit')[0]?.count
  const steps: unknown[] = []
  for (let step = 0; step < 4; step++) {
    const next = await log.log().sweep()
    steps.push([left(), (next ?? 0) - log.now()])
  }
  expect(steps).toEqual([
    [7_001, 1_000],
    [2_001, 1_000],
    [1, 30 * 60_000],
    [1, 30 * 60_000],
  ])
})

test('records go on being deleted after the log was turned off, and other days count from the next start on', async () => {
  const run = async (days: number | undefined, later: number | undefined, passed: number) => {
    const log = logUnderTest(days)
    await log.record()
    log.pass(passed)
    await log.reopen(later).sweep()
    return log.all()
  }
  expect(await run(1, undefined, DAY + HOUR)).toHaveLength(0)
  expect(await run(2, undefined, DAY + HOUR)).toHaveLength(1)
  expect(await run(2, 1, DAY + HOUR)).toHaveLength(0)
})
