import { afterEach, describe, expect, test } from 'vitest'
import { DAY } from '../../../test-support/audit-log.js'
import { type Receiver, startReceiver, verified } from '../../../test-support/receivers.js'
import { objectWithWebhooks, SECRET } from '../../../test-support/webhooks.js'

const receivers: Receiver[] = []
afterEach(() => Promise.all(receivers.splice(0).map((receiver) => receiver.stop())))
async function receiving(behavior?: Receiver['behavior'], hold?: number) {
  const receiver = await startReceiver(behavior)
  receivers.push(receiver)
  const ids = () => receiver.received.map(({ headers }) => headers['webhook-id'])
  return { receiver, ids, object: objectWithWebhooks({ AUTH_WEBHOOK_URL: receiver.url }, hold) }
}

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

test('a record is sent within five seconds, as a message that a receiver verifies', async () => {
  const { receiver, object } = await receiving()
  await object.record('sign-in', { person: 'digest', device: 'Firefox on Windows' })
  expect(object.alarm()).toBeLessThan(object.now() + 5 * SECOND)
  await object.ring()
  const [record] = await object.records()
  expect(receiver.received).toHaveLength(1)
  const [request] = receiver.received
  expect(request && verified(SECRET, request)).toEqual({
    type: 'sign-in',
    timestamp: record?.time,
    data: record,
  })
  expect(request?.headers['webhook-id']).toBe('ledger_1')
  expect(await object.state()).toEqual({ waiting: 0, failed: [] })
})

test('messages that are received leave no row, and one alarm sends all that wait', async () => {
  const { ids, object } = await receiving()
  for (let count = 0; count < 30; count++) await object.record()
  expect((await object.state()).waiting).toBe(30)
  const before = object.writes()
  await object.ring()
  expect(ids()).toHaveLength(30)
  expect(object.tables()).not.toContain('webhooks')
  // The place in the log.
  expect(object.writes() - before).toBe(1)
})

test('a backlog is sent in parts: an alarm makes forty tries, and the next one comes at once', async () => {
  const { ids, object } = await receiving()
  for (let count = 0; count < 100; count++) await object.record()
  await object.ring()
  expect(ids()).toHaveLength(40)
  expect(object.alarm()).toBe(object.now())
  await object.ring()
  await object.ring()
  expect(new Set(ids()).size).toBe(100)
  expect(ids()).toHaveLength(100)
  expect(object.alarm()).toBeUndefined()
})

test('four tries are under way at once, and the next ones wait', async () => {
  const { receiver, ids, object } = await receiving('hang', 1)
  for (let count = 0; count < 6; count++) await object.record()
  await object.ring()
  await expect.poll(ids).toHaveLength(4)
  await object.ring()
  expect((await object.state()).waiting).toBe(6)
  receiver.behavior = 204
  receiver.release(204)
  await object.settled()
  await object.ring()
  await expect.poll(ids).toHaveLength(6)
  await object.settled()
  expect(await object.state()).toEqual({ waiting: 0, failed: [] })
})

test('an alarm does not wait for a receiver that hangs, and records are written meanwhile', async () => {
  const { receiver, ids, object } = await receiving('hang', 1)
  await object.record()
  await object.ring()
  await expect.poll(ids).toEqual(['ledger_1'])
  await object.record()
  expect(await object.records()).toHaveLength(2)
  receiver.behavior = 204
  await object.ring()
  await expect.poll(ids).toEqual(['ledger_1', 'ledger_2'])
  // The first is still under way.
  await expect.poll(async () => (await object.state()).waiting).toBe(1)
  receiver.release(500)
  await object.settled()
  expect(await object.state()).toMatchObject({ waiting: 0, failed: [{ id: 'ledger_1', tries: 1 }] })
})

describe('the whole plan', () => {
  test('eight tries, then a message is dead and shown as such', async () => {
    const { receiver, object } = await receiving(500)
    await object.record('sign-out')
    const times: number[] = []
    const alarms: (number | undefined)[] = []
    for (let tries = 1; tries <= 8; tries++) {
      await object.ring()
      times.push(object.now())
      alarms.push(object.alarm())
      const [failed] = (await object.state()).failed
      expect(failed).toMatchObject({ id: 'ledger_1', event: 'sign-out', tries, last: 'status 500' })
    }
    const pauses = times.slice(1).map((time, at) => time - (times[at] ?? 0))
    const planned = [5 * SECOND, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR, 14 * HOUR]
    for (const [at, pause] of pauses.entries()) {
      expect(pause).toBeGreaterThanOrEqual((planned[at] ?? 0) * 0.8)
      expect(pause).toBeLessThanOrEqual((planned[at] ?? 0) * 1.2)
    }
    expect(alarms.at(-1)).toBeUndefined()
    expect((await object.state()).failed).toMatchObject([{ tries: 8, next: null }])
    expect(receiver.received).toHaveLength(8)
    // Each try has the same bytes, its own time, and so its own signature.
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1)
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    const stamps = receiver.received.map(({ headers }) => Number(headers['webhook-timestamp']))
    expect(stamps).toEqual(times.map((time) => Math.floor(time / 1000)))
    object.pass(30 * DAY)
    await object.ring()
    expect(receiver.received).toHaveLength(8)
  })

  test('a try is one write, and a message that is received at last has no row', async () => {
    const { receiver, object } = await receiving(503)
    await object.record()
    await object.ring()
    const before = object.writes()
    await object.ring()
    expect(object.writes() - before).toBe(1)
    expect(object.queued()).toHaveLength(1)
    receiver.behavior = 200
    await object.ring()
    expect(object.queued()).toHaveLength(0)
    expect(await object.state()).toEqual({ waiting: 0, failed: [] })
  })

  test('a failed try has its reason', async () => {
    const { receiver, object } = await receiving()
    const behaviors = [404, 'close', { redirect: receiver.url }] as const
    receiver.behavior = ({ body }) => behaviors[JSON.parse(body).data.seq - 1] ?? 200
    for (const _ of behaviors) await object.record()
    await object.ring()
    expect((await object.state()).failed.map(({ id, last }) => [id, last])).toEqual([
      ['ledger_3', 'redirect'],
      ['ledger_2', 'unreachable'],
      ['ledger_1', 'status 404'],
    ])
  })
})
