import { Webhook } from 'standardwebhooks'
import { afterEach, describe, expect, test } from 'vitest'
import { type Receiver, startReceiver, verified } from '../../../test-support/receivers.js'
import { objectWithWebhooks, SECRET } from '../../../test-support/webhooks.js'

const receivers: Receiver[] = []
afterEach(() => Promise.all(receivers.splice(0).map((receiver) => receiver.stop())))
async function receiving(behavior?: Receiver['behavior'], variables = {}, hold?: number) {
  const receiver = await startReceiver(behavior)
  receivers.push(receiver)
  const object = objectWithWebhooks({ AUTH_WEBHOOK_URL: receiver.url, ...variables }, hold)
  return { receiver, object, ids: () => idsOf(receiver) }
}
const idsOf = ({ received }: Receiver) => received.map(({ headers }) => headers['webhook-id'])
const OFF = { AUTH_WEBHOOK_URL: '', AUTH_WEBHOOK_SECRET: '' }

/** Alarms come until none is set. */
async function ringAll(object: ReturnType<typeof objectWithWebhooks>) {
  for (let alarms = 0; object.alarm() !== undefined; alarms++) {
    if (alarms > 100) throw new Error('The alarms have no end.')
    await object.ring()
  }
}

describe('an object that ends', () => {
  test.each(Array.from({ length: 60 }, (_, at) => at + 1))(
    'before statement %i loses no message when it starts again',
    async (statements) => {
      const { receiver, object, ids } = await receiving()
      // Each message is received at its third try.
      const tries = new Map<string, number>()
      receiver.behavior = ({ headers }) => {
        const id = String(headers['webhook-id'])
        tries.set(id, (tries.get(id) ?? 0) + 1)
        return (tries.get(id) ?? 0) < 3 ? 500 : 204
      }
      object.endAfter(statements)
      /** The caller calls again, and the platform lets an alarm come again. */
      const again = async (step: () => Promise<void>) => {
        await step().catch((error: Error) => expect(error.message).toMatch(/has ended/))
        if (!object.hasEnded()) return
        object.restart()
        await step()
      }
      for (const nonce of ['one', 'two', 'three']) {
        await again(() => object.record('sign-in', {}, nonce))
      }
      for (let alarms = 0; alarms < 20; alarms++) await again(() => object.ring())
      expect(new Set(ids())).toEqual(new Set(['ledger_1', 'ledger_2', 'ledger_3']))
      expect(await object.state()).toEqual({ waiting: 0, failed: [] })
      expect(object.queued()).toEqual([])
    },
  )

  test('a message under way is sent again, with the same bytes', async () => {
    const { receiver, object, ids } = await receiving('hang', {}, 1)
    await object.record()
    await object.ring()
    await expect.poll(ids).toHaveLength(1)
    object.restart()
    receiver.release(204)
    await object.settled()
    expect((await object.state()).waiting).toBe(1)
    receiver.behavior = 204
    await object.ring()
    await expect.poll(ids).toEqual(['ledger_1', 'ledger_1'])
    expect(receiver.received[1]?.body).toBe(receiver.received[0]?.body)
  })
})

test('after a fault of the storage, messages are sent again a minute later', async () => {
  const { object, ids } = await receiving(500)
  await object.record()
  object.break((statement) => {
    if (/INSERT OR REPLACE INTO webhooks/.test(statement)) throw new Error('The disk is full.')
  })
  await object.ring()
  expect(object.alarm()).toBe(object.now() + 60_000)
  object.break(undefined)
  await object.ring()
  expect(ids()).toEqual(['ledger_1', 'ledger_1'])
  expect((await object.state()).failed).toMatchObject([{ id: 'ledger_1', tries: 1 }])
})

describe('sent again for the operator', () => {
  test('a dead message begins with its first try, and has the same bytes', async () => {
    const { receiver, object } = await receiving(500)
    await object.record()
    await ringAll(object)
    expect((await object.state()).failed).toMatchObject([{ tries: 8, next: null }])
    receiver.received.length = 1
    expect(await object.resend(1)).toBe(true)
    expect(await object.state()).toEqual({ waiting: 1, failed: [] })
    await object.ring()
    expect(await object.state()).toMatchObject({ waiting: 0, failed: [{ tries: 1 }] })
    receiver.behavior = 204
    await ringAll(object)
    expect(await object.state()).toEqual({ waiting: 0, failed: [] })
    expect(receiver.received).toHaveLength(3)
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1)
  })

  test('a received message, a waiting one and one of an event that is not listed have all tries too', async () => {
    const { object, ids } = await receiving(204, { AUTH_WEBHOOK_EVENTS: 'sign-out' })
    await object.record('sign-out')
    await object.record('sign-in')
    await object.ring()
    expect(ids()).toEqual(['ledger_1'])
    await object.record('sign-out')
    for (const seq of [1, 2, 3]) expect(await object.resend(seq)).toBe(true)
    expect((await object.state()).waiting).toBe(3)
    object.restart()
    await ringAll(object)
    expect(ids().slice(1).sort()).toEqual(['ledger_1', 'ledger_2', 'ledger_3'])
    expect(object.queued()).toEqual([])
  })

  test.each([
    ['the first', 0, 204],
    ['the first', 0, 500],
    ['a later', 1, 204],
    ['a later', 1, 500],
  ])('during %s try, it begins again afterwards (%i, %i)', async (_, failures, status) => {
    const { receiver, object, ids } = await receiving('hang', {}, 1)
    await object.record()
    for (let tries = 0; tries <= failures; tries++) {
      receiver.release(500)
      await object.settled()
      await object.ring()
      await expect.poll(ids).toHaveLength(tries + 1)
    }
    expect(await object.resend(1)).toBe(true)
    receiver.behavior = 204
    receiver.release(status)
    await object.settled()
    expect(await object.state()).toEqual({ waiting: 1, failed: [] })
    await object.ring()
    await expect.poll(ids).toHaveLength(failures + 2)
    await object.settled()
    expect(await object.state()).toEqual({ waiting: 0, failed: [] })
  })

  test('a record that is not there cannot be sent', async () => {
    const { object, ids } = await receiving()
    expect(await object.resend(1)).toBe(false)
    expect(object.tables()).toEqual([])
    await object.record()
    await object.ring()
    for (const seq of [0, 2, -1, 1.5, Number.MAX_SAFE_INTEGER]) {
      expect(await object.resend(seq)).toBe(false)
    }
    object.sql(`UPDATE audit SET content = 'damaged'`)
    expect(await object.resend(1)).toBe(false)
    expect(ids()).toEqual(['ledger_1'])
  })
})

describe('the variables', () => {
  test('only the listed events are sent, and the others set no alarm and write no row', async () => {
    const { object, ids } = await receiving(204, { AUTH_WEBHOOK_EVENTS: 'sign-out,key-created' })
    await object.record('sign-in')
    const before = object.writes()
    for (let count = 0; count < 20; count++) await object.record('sign-in')
    expect(object.writes() - before).toBe(20)
    expect(object.alarm()).toBeUndefined()
    await object.record('sign-out')
    await object.record('step-up')
    await object.record('key-created')
    expect((await object.state()).waiting).toBe(2)
    await object.ring()
    expect(ids()).toEqual(['ledger_22', 'ledger_24'])
  })

  test('a text in a record is not taken for its event', async () => {
    const { object } = await receiving(204, { AUTH_WEBHOOK_EVENTS: 'sign-out' })
    await object.record('sign-in')
    await object.record('sign-in', { device: '"event":"sign-out"' })
    await object.record('sign-out')
    expect((await object.state()).waiting).toBe(1)
  })

  test('records from before webhooks were turned on are not sent', async () => {
    const { receiver, object, ids } = await receiving(204, OFF)
    for (let count = 0; count < 3; count++) await object.record()
    expect(object.alarm()).toBeUndefined()
    object.restart({ AUTH_WEBHOOK_URL: receiver.url, AUTH_WEBHOOK_SECRET: SECRET })
    await object.record()
    await ringAll(object)
    expect(ids()).toEqual(['ledger_4'])
  })

  test('records from while webhooks were off are not sent, and messages that failed before are tried again', async () => {
    const { receiver, object, ids } = await receiving(500)
    const { url } = receiver
    await object.record()
    await object.ring()
    object.restart(OFF)
    await object.record()
    await object.ring()
    expect(await object.state()).toEqual({ waiting: 0, failed: [] })
    expect(await object.resend(1)).toBe(false)
    object.restart({ AUTH_WEBHOOK_URL: url, AUTH_WEBHOOK_SECRET: SECRET })
    receiver.behavior = 204
    await object.record()
    object.pass(60_000)
    await ringAll(object)
    expect(ids().sort()).toEqual(['ledger_1', 'ledger_1', 'ledger_3'])
  })

  test('messages that wait go to the present URL, under the present secrets', async () => {
    const { object, receiver } = await receiving(500)
    await object.record()
    await object.ring()
    await object.record()
    const next = await receiving()
    const secrets = [1, 2].map((byte) => `whsec_${btoa(String.fromCharCode(byte).repeat(32))}`)
    object.restart({
      AUTH_WEBHOOK_URL: next.receiver.url,
      AUTH_WEBHOOK_SECRET: secrets.join(),
    })
    object.pass(10_000)
    await ringAll(object)
    expect(idsOf(receiver)).toEqual(['ledger_1'])
    expect(next.ids().sort()).toEqual(['ledger_1', 'ledger_2'])
    for (const request of next.receiver.received) {
      for (const secret of secrets) verified(secret, request)
      const headers = request.headers as Record<string, string>
      expect(() => new Webhook(SECRET).verify(request.body, headers)).toThrow()
    }
  })

  test('a malformed variable sends nothing, and messages wait until it is mended', async () => {
    const { object, ids } = await receiving()
    await object.record()
    object.restart({ AUTH_WEBHOOK_SECRET: 'whsec_short' })
    await object.ring()
    expect(ids()).toEqual([])
    object.restart({ AUTH_WEBHOOK_SECRET: SECRET })
    await object.ring()
    expect(ids()).toEqual(['ledger_1'])
  })
})

test('messages are deleted with their records, and a record that is damaged is not sent', async () => {
  const { object, ids } = await receiving(500)
  for (let count = 0; count < 3; count++) await object.record()
  await object.ring()
  for (let count = 0; count < 2; count++) await object.record()
  await object.deleteUpTo(2)
  object.sql(`UPDATE audit SET content = '{"event":"sign-in"}' WHERE seq = 4`)
  expect((await object.state()).failed.map(({ id }) => id)).toEqual(['ledger_3'])
  await object.ring()
  expect(ids().slice(3)).toEqual(['ledger_5'])
  await ringAll(object)
  expect(new Set(object.queued().map(({ seq }) => seq))).toEqual(new Set([3, 5]))
  expect(new Set(ids().slice(3))).toEqual(new Set(['ledger_3', 'ledger_5']))
})
