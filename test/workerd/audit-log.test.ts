/// <reference types="@cloudflare/vitest-plugin/types" />
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import type { Ledger } from '@latchkey/worker/features/operate'
import { type AuditHeads, verifyAudit } from '@latchkey/worker/migrate'
import { expect, test } from 'vitest'
import { clock } from '../support/clock.ts'
import { bindings } from './support.ts'

const { pass } = clock({ start: 'now' })

const DAY = 24 * 60 * 60
const LEDGER = bindings.LEDGER as unknown as DurableObjectNamespace<Ledger>

let count = 0
/** A new object, and its chain. */
function chain() {
  const name = `audited-${++count}`
  const stub = LEDGER.get(LEDGER.idFromName(name))
  let nonces = 0
  const record = (event = 'sign-in', nonce = `nonce-${++nonces}`) =>
    stub.record(name, { time: new Date().toISOString(), event, person: 'digest' }, nonce)
  const heads = async (days: number): Promise<AuditHeads> => {
    const of = await stub.auditHead()
    return { days, chains: of ? [{ chain: name, ...of }] : [] }
  }
  const all = async () => (await stub.records({ limit: 1_000 })).records
  return { name, stub, record, heads, all }
}
type Stub = ReturnType<typeof chain>['stub']

const tables = (stub: Stub) =>
  runInDurableObject(stub, (_, { storage }) =>
    storage.sql
      .exec(`SELECT name FROM sqlite_master WHERE name LIKE 'audit%'`)
      .toArray()
      .map(({ name }) => name),
  )
const alarm = (stub: Stub) => runInDurableObject(stub, (_, { storage }) => storage.getAlarm())

/** Sets the days of an object, before its first record. */
async function keepFor(stub: Stub, days: string) {
  await runInDurableObject(stub, (object) => {
    const { env } = object as unknown as { env: object }
    Object.defineProperty(object, 'env', { value: { ...env, AUTH_AUDIT_DAYS: days } })
  })
}

test('an object has no table of the log, and no alarm, before its first record', async () => {
  const { stub, record, all } = chain()
  await stub.consume('flow', Math.floor(Date.now() / 1000) + 900)
  expect(await stub.auditHead()).toBeNull()
  expect(await all()).toEqual([])
  expect(await tables(stub)).toEqual([])
  await record()
  expect((await tables(stub)).toSorted()).toEqual(['audit', 'audit_state'])
})

test('a record costs one row, and an omitted one less', async () => {
  const { stub, record } = chain()
  await record()
  let written = 0
  const restore = await runInDurableObject(stub, (_, { storage }) => {
    const sql = Object.getPrototypeOf(storage.sql) as SqlStorage
    const { exec } = sql
    sql.exec = function (this: SqlStorage, ...asked: Parameters<typeof exec>) {
      const cursor = exec.apply(this, asked)
      written += cursor.rowsWritten
      return cursor
    } as typeof exec
    return () => {
      sql.exec = exec
    }
  })
  try {
    for (let times = 0; times < 10; times++) await record()
    expect(written).toBe(10)
    written = 0
    await Promise.all(Array.from({ length: 60 }, () => record('sign-in-refused')))
    expect(written).toBe(60)
    written = 0
    await Promise.all(Array.from({ length: 100 }, () => record('sign-in-refused')))
    expect(written).toBeLessThan(10)
  } finally {
    restore()
  }
})

test('a hundred calls at once, and an object that restarts among them, make one chain with each event once', async () => {
  const { stub, record, heads, all } = chain()
  const nonces = Array.from({ length: 100 }, (_, at) => `event-${at}`)
  const until = async (nonce: string): Promise<void> => {
    try {
      await record(nonce, nonce)
    } catch {
      await until(nonce)
    }
  }
  const calls = nonces.map(until)
  await evictDurableObject(stub)
  await Promise.all(calls)
  await Promise.all(nonces.slice(0, 50).map(until))
  const records = await all()
  expect(records.map((record) => 'event' in record && record.event).toSorted()).toEqual(
    nonces.toSorted(),
  )
  const { ok } = await verifyAudit(records, await heads(30))
  expect(ok).toBe(true)
})

test('the alarm deletes records that are older than the days, and does not run without records', async () => {
  const { stub, record, heads, all } = chain()
  await keepFor(stub, '2')
  await record()
  await record()
  const saved = await heads(2)
  expect(((await alarm(stub)) ?? 0) - Date.now()).toBe(30 * 60 * 1000)
  pass(DAY)
  expect(await runDurableObjectAlarm(stub)).toBe(true)
  await record()
  expect(await all()).toHaveLength(3)
  pass(DAY + 60 * 60)
  await runDurableObjectAlarm(stub)
  const left = await all()
  expect(left).toMatchObject([{ seq: 3 }])
  expect((await heads(2)).chains).toMatchObject([
    { floor: saved.chains[0]?.head, head: { seq: 3 } },
  ])
  expect((await verifyAudit(left, await heads(2), saved)).faults).toEqual([])
  pass(DAY)
  await runDurableObjectAlarm(stub)
  expect(await all()).toEqual([])
  expect(await runDurableObjectAlarm(stub)).toBe(false)
})

test('sweeps go on beside the log, and also when its work fails', async () => {
  const { stub, record } = chain()
  const rows = () =>
    runInDurableObject(stub, (_, { storage }) =>
      storage.sql.exec('SELECT count(*) AS count FROM consumed').one(),
    )
  await keepFor(stub, '30')
  await record()
  await stub.consume('flow', Math.floor(Date.now() / 1000) + 60)
  await runInDurableObject(stub, (_, { storage }) => storage.sql.exec('DROP TABLE audit'))
  pass(2 * 60 * 60)
  expect(await runDurableObjectAlarm(stub)).toBe(true)
  expect(await rows()).toEqual({ count: 0 })
  // The work that failed is tried again.
  expect(((await alarm(stub)) ?? 0) - Date.now()).toBe(60_000)
})

test('the alarm records what a flood has left out, also after a start of the object', async () => {
  const { stub, record, heads, all } = chain()
  await keepFor(stub, '30')
  await Promise.all(Array.from({ length: 75 }, () => record('too-many-attempts')))
  expect(((await alarm(stub)) ?? 0) - Date.now()).toBeLessThanOrEqual(60_000)
  await evictDurableObject(stub)
  pass(60)
  await runDurableObjectAlarm(stub)
  const records = await all()
  expect(records).toHaveLength(61)
  expect(records[0]).toMatchObject({
    event: 'events-omitted',
    error: 'too-many-attempts',
    count: 15,
  })
  expect((await verifyAudit(records, await heads(30))).ok).toBe(true)
})
