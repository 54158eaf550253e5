import { createHmac } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { signatureOf } from './sign.js'

const bytes = (length: number) => crypto.getRandomValues(new Uint8Array(length))
const secretOf = (secret: Uint8Array) => `whsec_${btoa(String.fromCharCode(...secret))}`

const message = { id: 'ledger-4-2_17', body: '{"type":"sign-in","data":{"device":"Firefox – ☃"}}' }
const now = () => Date.now()

test.each([24, 32, 64])(
  'a library for receivers verifies it, with %i bytes of secret',
  async (length) => {
    const secret = bytes(length)
    const headers = await signatureOf(message, [secret], now())
    expect(new Webhook(secretOf(secret)).verify(message.body, headers)).toEqual(
      JSON.parse(message.body),
    )
  },
)

test('the signature is an HMAC of id, time in whole seconds, and body', async () => {
  const secret = bytes(24)
  const headers = await signatureOf(message, [secret], 1_674_087_231_999)
  const content = `ledger-4-2_17.1674087231.${message.body}`
  expect(headers).toEqual({
    'webhook-id': 'ledger-4-2_17',
    'webhook-timestamp': '1674087231',
    'webhook-signature': `v1,${createHmac('sha256', secret).update(content).digest('base64')}`,
  })
})

test('with two secrets, a receiver that has either verifies it', async () => {
  const secrets = [bytes(24), bytes(32)]
  const headers = await signatureOf(message, secrets, now())
  expect(headers['webhook-signature']).toMatch(/^v1,\S{44} v1,\S{44}$/)
  for (const secret of secrets) new Webhook(secretOf(secret)).verify(message.body, headers)
  expect(() => new Webhook(secretOf(bytes(24))).verify(message.body, headers)).toThrow()
})

test.each([
  ['another body', 'ledger-4-2_17', 0, message.body.replace('sign-in', 'sign-out')],
  ['another id', 'ledger-4-2_18', 0, message.body],
  ['another time', 'ledger-4-2_17', 1, message.body],
])('the signature does not fit %s', async (_, id, later, body) => {
  const secret = bytes(24)
  const headers = await signatureOf(message, [secret], now())
  const changed = {
    ...headers,
    'webhook-id': id,
    'webhook-timestamp': String(Number(headers['webhook-timestamp']) + later),
  }
  expect(() => new Webhook(secretOf(secret)).verify(body, changed)).toThrow(/signature/)
})

test('a message that is sent again later is too old for a receiver', async () => {
  const secret = bytes(24)
  const headers = await signatureOf(message, [secret], now() - 6 * 60_000)
  expect(() => new Webhook(secretOf(secret)).verify(message.body, headers)).toThrow(/too old/)
})
