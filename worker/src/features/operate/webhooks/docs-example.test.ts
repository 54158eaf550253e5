import type { AddressInfo } from 'node:net'
import { type ServerType, serve } from '@hono/node-server'
import type { Hono } from 'hono'
import { Webhook } from 'standardwebhooks'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { examplesIn } from '../../../../../test/support/example-below.js'
import { objectWithWebhooks, SECRET } from '../../../test-support/webhooks.js'

/** The receiver of docs/webhooks.md, run unchanged, behind the sender of an object of the ledger. */
const exampleBelow = examplesIn('webhooks')

interface Receiver {
  readonly default: Hono
  readonly handled: { readonly type: string; readonly data: { readonly id: string } }[]
}

let receiver: Receiver
let server: ServerType
let url = ''
beforeEach(async () => {
  vi.stubEnv('WEBHOOK_SECRET', SECRET)
  receiver ??= await exampleBelow<Receiver>('A receiver')
  server = await new Promise<ServerType>((resolve) => {
    const { fetch } = receiver.default
    const started = serve({ fetch, port: 0, hostname: '127.0.0.1' }, () => resolve(started))
  })
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`
})
afterEach(async () => {
  vi.unstubAllEnvs()
  receiver.handled.length = 0
  await new Promise((resolve) => server.close(resolve))
})

/** What the sender would send, so that a test can change it. */
function message(id: string, body = JSON.stringify({ type: 'sign-in', data: { id } })) {
  const now = new Date()
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': new Webhook(SECRET).sign(id, now, body),
  }
  const send = (changed: { headers?: Record<string, string>; body?: string } = {}) =>
    fetch(url, {
      method: 'POST',
      headers: { ...headers, ...changed.headers },
      body: changed.body ?? body,
    })
  return { headers, body, send }
}

test('the receiver handles what an object sends, under either of two secrets', async () => {
  const other = `whsec_${btoa('another secret of 24 bytes')}`
  const object = objectWithWebhooks({
    AUTH_WEBHOOK_URL: url,
    AUTH_WEBHOOK_SECRET: `${other},${SECRET}`,
  })
  await object.record('sign-in')
  await object.record('person-blocked', { operator: 'ada', reason: 'Größe “7” \u2028' })
  await object.ring()
  expect(await object.state()).toEqual({ waiting: 0, failed: [] })
  const records = await object.records()
  expect(receiver.handled).toEqual(
    records.map((data) => ({ type: data.event, timestamp: data.time, data })),
  )
})

test('a message that comes twice is handled once', async () => {
  const { send } = message('ledger_101')
  expect((await send()).status).toBe(204)
  expect((await send()).status).toBe(204)
  expect(receiver.handled.map(({ data }) => data.id)).toEqual(['ledger_101'])
})

test.each([
  ['without a signature', { headers: { 'webhook-signature': '' } }],
  ['under another id', { headers: { 'webhook-id': 'ledger_103' } }],
  ['at another time', { headers: { 'webhook-timestamp': '1674087231' } }],
  ['with another body', { body: '{"type":"person-unblocked","data":{"id":"ledger_102"}}' }],
])('a message that is not genuine is refused: %s', async (_, changed) => {
  const { send } = message('ledger_102')
  expect((await send(changed)).status).toBe(401)
  expect(receiver.handled).toEqual([])
})
