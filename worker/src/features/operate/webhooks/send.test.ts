import { afterAll, afterEach, expect, test } from 'vitest'
import { type Behavior, startReceiver, verified } from '../../../test-support/receivers.js'
import { sendMessage } from './send.js'
import { readWebhook, type WebhookSettings } from './settings.js'

const secret = `whsec_${btoa('a secret of 24 bytes, see')}`
const message = { id: 'ledger_1', body: '{"type":"sign-in"}' }
const receiver = await startReceiver()
const other = await startReceiver()
afterAll(() => Promise.all([receiver.stop(), other.stop()]))
afterEach(() => {
  receiver.behavior = 204
  receiver.received.length = 0
})

const to = (url: string) =>
  readWebhook({ AUTH_WEBHOOK_URL: url, AUTH_WEBHOOK_SECRET: secret }) as WebhookSettings
const send = (url = receiver.url, patience = 10_000) =>
  sendMessage(message, to(url), { fetch, now: Date.now, patience })

test('a message is one POST that the library of receivers verifies', async () => {
  expect(await send()).toBeUndefined()
  const [request] = receiver.received
  expect(receiver.received).toHaveLength(1)
  expect(request).toMatchObject({ method: 'POST', path: '/hook?to=latchkey', body: message.body })
  expect(request?.headers['content-type']).toBe('application/json')
  expect(request && verified(secret, request)).toEqual({ type: 'sign-in' })
})

test.each([200, 201, 202, 204, 299])('%i is received', async (status) => {
  receiver.behavior = status
  expect(await send()).toBeUndefined()
})

test.each([304, 400, 401, 404, 410, 429, 500, 503])('%i is not received', async (status) => {
  receiver.behavior = status
  expect(await send()).toBe(`status ${status}`)
})

test('a redirect is not followed', async () => {
  receiver.behavior = { redirect: other.url }
  expect(await send()).toBe('redirect')
  expect(other.received).toHaveLength(0)
})

test.each<Behavior>(['hang', 'drip'])(
  'a receiver that does %s is not waited for',
  async (behavior) => {
    receiver.behavior = behavior
    expect(await send(receiver.url, 300)).toBe('timeout')
    await expect.poll(() => receiver.open()).toBe(0)
  },
)

test('a receiver that closes the connection, or that is not there, is unreachable', async () => {
  receiver.behavior = 'close'
  expect(await send()).toBe('unreachable')
  const gone = await startReceiver()
  await gone.stop()
  expect(await send(gone.url)).toBe('unreachable')
})

test('an answer without an end is received, and not read', async () => {
  receiver.behavior = 'endless'
  expect(await send()).toBeUndefined()
  // The connection is closed from here: the receiver would go on.
  await expect.poll(() => receiver.open()).toBe(0)
})
