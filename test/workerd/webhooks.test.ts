/// <reference types="@cloudflare/vitest-plugin/types" />
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { type Ledger, operate } from '@latchkey/worker/features/operate'
import { Webhook } from 'standardwebhooks'
import { expect, inject, test, vi } from 'vitest'
import { clock } from '../support/clock.ts'
import type { ReceivedWebhook } from '../support/webhook-receiver.ts'
import { Browser, bindings, service } from './support.ts'

// Far ahead: the platform's alarms keep real time, and would come by themselves.
const { pass } = clock({ start: Date.UTC(2031, 0, 1) })

const LEDGER = bindings.LEDGER as unknown as DurableObjectNamespace<Ledger>
type Stub = DurableObjectStub<Ledger>

const SECRET = `whsec_${btoa('a secret of 24 bytes, see')}`
const origin = inject('webhooks')
let count = 0

/** A receiver, and objects of the ledger that send to it. */
function world() {
  const name = `inbox-${++count}`
  const variables = {
    AUTH_WEBHOOK_URL: `${origin}/hook/${name}`,
    AUTH_WEBHOOK_SECRET: SECRET,
    AUTH_AUDIT_DAYS: '2',
  }
  const inbox = async () =>
    (await fetch(`${origin}/inbox/${name}`)).json<{
      received: ReceivedWebhook[]
      hanging: number
    }>()
  const stubOf = (object: string): Stub => LEDGER.get(LEDGER.idFromName(`${name} ${object}`))
  return {
    variables,
    inbox,
    stubOf,
    received: async () => (await inbox()).received,
    hanging: async () => (await inbox()).hanging,
    ids: async () => (await inbox()).received.map(({ headers }) => headers['webhook-id']),
    answer: (how: string) => fetch(`${origin}/inbox/${name}`, { method: 'PUT', body: how }),
    /** Gives an object its variables, again after a restart. */
    configure: (stub: Stub) =>
      runInDurableObject(stub, (object) => {
        const { env } = object as unknown as { env: object }
        Object.defineProperty(object, 'env', { value: { ...env, ...variables } })
      }),
    /** The binding of a service whose objects are those of this world. */
    binding: {
      idFromName: (object: string) => LEDGER.idFromName(`${name} ${object}`),
      get: (id: DurableObjectId) => LEDGER.get(id),
    },
  }
}

let nonces = 0
const record = (stub: Stub, event = 'sign-in') =>
  stub.record('ledger', { time: new Date().toISOString(), event, person: 'digest' }, `${++nonces}`)
const alarmOf = (stub: Stub) => runInDurableObject(stub, (_, { storage }) => storage.getAlarm())

/** What an object writes: rows by SQL, and alarms, which the platform bills as a row each. */
async function counted(stub: Stub, run: () => Promise<void>) {
  const written = { rows: 0, alarms: 0 }
  const restore = await runInDurableObject(stub, (_, { storage }) => {
    const sql = Object.getPrototypeOf(storage.sql) as SqlStorage
    const all = Object.getPrototypeOf(storage) as DurableObjectStorage
    const { exec } = sql
    const { setAlarm } = all
    sql.exec = function (this: SqlStorage, ...asked: Parameters<typeof exec>) {
      const cursor = exec.apply(this, asked)
      written.rows += cursor.rowsWritten
      return cursor
    } as typeof exec
    all.setAlarm = function (this: DurableObjectStorage, ...asked: Parameters<typeof setAlarm>) {
      written.alarms++
      return setAlarm.apply(this, asked)
    }
    return () => {
      sql.exec = exec
      all.setAlarm = setAlarm
    }
  })
  try {
    await run()
  } finally {
    await restore()
  }
  return written
}

test('the platform’s own alarm sends a record, and the library of receivers verifies it', async () => {
  vi.useRealTimers()
  const { stubOf, configure, received } = world()
  const stub = stubOf('ledger')
  await configure(stub)
  await record(stub)
  expect(((await alarmOf(stub)) ?? 0) - Date.now()).toBeLessThan(5_000)
  await expect.poll(received).toHaveLength(1)
  const [{ headers, body } = { headers: {}, body: '' }] = await received()
  const { records } = await stub.records({ limit: 1 })
  expect(new Webhook(SECRET).verify(body, headers as Record<string, string>)).toEqual({
    type: 'sign-in',
    timestamp: (records[0] as { time: string }).time,
    data: records[0],
  })
  expect(headers['content-type']).toBe('application/json')
})

test('messages that are received cost a place and two alarms for all of them, and no row each', async () => {
  const { stubOf, configure, ids } = world()
  const stub = stubOf('ledger')
  await configure(stub)
  await record(stub)
  await runDurableObjectAlarm(stub)
  const written = await counted(stub, async () => {
    for (let times = 0; times < 30; times++) await record(stub)
    await runDurableObjectAlarm(stub)
  })
  expect(await ids()).toHaveLength(31)
  expect(written).toEqual({ rows: 30 + 1, alarms: 2 })
  // So a single one is the dearest.
  const single = await counted(stub, async () => {
    await record(stub)
    await runDurableObjectAlarm(stub)
  })
  expect(await ids()).toHaveLength(32)
  expect(single).toEqual({ rows: 1 + 1, alarms: 2 })
})

test('a message that fails costs a row, and each try one write, until it is received', async () => {
  const { stubOf, configure, ids, answer } = world()
  const stub = stubOf('ledger')
  await configure(stub)
  await answer('503')
  await record(stub)
  await runDurableObjectAlarm(stub)
  expect(await stub.webhookState()).toMatchObject({
    waiting: 0,
    failed: [{ id: 'ledger_1', tries: 1, last: 'status 503' }],
  })
  pass(7)
  expect((await counted(stub, async () => void (await runDurableObjectAlarm(stub)))).rows).toBe(1)
  // The object starts again, and continues.
  await evictDurableObject(stub)
  await configure(stub)
  await answer('200')
  pass(80)
  await runDurableObjectAlarm(stub)
  expect(await ids()).toEqual(['ledger_1', 'ledger_1', 'ledger_1'])
  expect(await stub.webhookState()).toEqual({ waiting: 0, failed: [] })
})

test('after eight tries a message is dead, and goes when its record does', async () => {
  const { stubOf, configure, ids, answer } = world()
  const stub = stubOf('ledger')
  await configure(stub)
  await answer('500')
  await record(stub)
  for (let tries = 1; tries <= 8; tries++) {
    const alarm = (await alarmOf(stub)) ?? 0
    const { failed } = await stub.webhookState()
    const next = Date.parse(failed[0]?.next ?? '') || Date.now()
    // The alarm may be an earlier one, of the log.
    expect(alarm).toBeLessThanOrEqual(Math.max(next, Date.now() + 5_000))
    vi.setSystemTime(next)
    await runDurableObjectAlarm(stub)
    expect(await ids()).toHaveLength(tries)
  }
  expect((await stub.webhookState()).failed).toMatchObject([{ tries: 8, next: null }])
  pass(3 * 24 * 60 * 60)
  await runDurableObjectAlarm(stub)
  expect(await stub.webhookState()).toEqual({ waiting: 0, failed: [] })
  const left = await runInDurableObject(stub, (_, { storage }) =>
    storage.sql
      .exec('SELECT (SELECT count(*) FROM webhooks) + (SELECT count(*) FROM audit) AS n')
      .one(),
  )
  expect(left).toEqual({ n: 0 })
})

test('a try ends whatever the receiver does, and its reason is known', async () => {
  const cases = [
    ['redirect', 'redirect'],
    ['close', 'unreachable'],
    ['410', 'status 410'],
    ['endless', undefined],
    ['hang', 'timeout'],
  ] as const
  const found = cases.map(async ([behavior, last]) => {
    const { stubOf, configure, answer, hanging, ids } = world()
    const stub = stubOf('ledger')
    await configure(stub)
    await answer(behavior)
    await record(stub)
    await runDurableObjectAlarm(stub)
    const expected = last ? [{ tries: 1, last }] : []
    await expect.poll(() => stub.webhookState()).toMatchObject({ waiting: 0, failed: expected })
    expect(await ids()).toEqual(['ledger_1'])
    // The connection is closed from here.
    await expect.poll(hanging).toBe(0)
  })
  await Promise.all(found)
})

test('an object that ends before its alarm sends after it', async () => {
  const { stubOf, configure, ids } = world()
  const stub = stubOf('ledger')
  await configure(stub)
  for (let times = 0; times < 3; times++) await record(stub)
  await evictDurableObject(stub)
  await configure(stub)
  expect(await stub.webhookState()).toEqual({ waiting: 3, failed: [] })
  await runDurableObjectAlarm(stub)
  expect(await ids()).toEqual(['ledger_1', 'ledger_2', 'ledger_3'])
})

test.each([1, 4])('people sign in while a receiver hangs, with %i objects', async (objects) => {
  const { stubOf, configure, ids, answer, hanging, binding, variables } = world()
  const names =
    objects === 1
      ? ['ledger']
      : Array.from({ length: objects }, (_, at) => `ledger-${objects}-${at}`)
  for (const name of names) await configure(stubOf(name))
  const of = service({ ledgerShards: objects, features: [operate()] }, {
    LEDGER: binding,
    ...variables,
  } as never)
  const signIn = async (username: string) => {
    const form = { username, password: 'open sesame', callbackUrl: '/inbox' }
    const answer = await new Browser(of).post('/auth/callback/credentials', form)
    expect(answer.headers.get('location')).toMatch(/\/inbox$/)
  }
  await answer('hang')
  const people = Array.from({ length: 8 * objects }, (_, at) => `person-${at}`)
  for (const person of people) await signIn(person)
  const alarms = Promise.all(names.map((name) => runDurableObjectAlarm(stubOf(name))))
  await expect.poll(hanging).toBeGreaterThan(0)
  // The tries have no end yet, and an answer does not ask for it.
  await signIn('another')
  expect(await hanging()).toBeGreaterThan(0)
  await alarms
  const state = await of.auth.webhooks(of.env)
  expect(state).toEqual({ waiting: people.length + 1, failed: [] })

  await answer('500')
  for (const name of names) await runDurableObjectAlarm(stubOf(name))
  await expect.poll(async () => (await of.auth.webhooks(of.env)).waiting).toBe(0)
  const { failed } = await of.auth.webhooks(of.env)
  expect(new Set(failed.map(({ id }) => id)).size).toBe(people.length + 1)
  expect(new Set(failed.map(({ id }) => id.split('_')[0]))).toEqual(new Set(names))
  expect(failed.map(({ time }) => time)).toEqual(
    failed
      .map(({ time }) => time)
      .toSorted()
      .reverse(),
  )

  await answer('204')
  const before = (await ids()).length
  for (const { id } of failed) expect(await of.auth.resendWebhook(id, of.env)).toBe(true)
  for (const id of [
    'ledger-9-1_1',
    'ledger_0',
    `${names[0]}_999`,
    'ledger',
    '_1',
    `${names[0]}_1e3`,
  ]) {
    expect(await of.auth.resendWebhook(id, of.env)).toBe(false)
  }
  for (const name of names) await runDurableObjectAlarm(stubOf(name))
  expect((await ids()).slice(before).sort()).toEqual(failed.map(({ id }) => id).sort())
  expect(await of.auth.webhooks(of.env)).toEqual({ waiting: 0, failed: [] })
})
