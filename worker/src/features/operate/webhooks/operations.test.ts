import { expect, test } from 'vitest'
import { audited } from '../../../test-support/audited.js'
import { SECRET } from '../../../test-support/webhooks.js'

const ON = { AUTH_WEBHOOK_URL: 'https://hooks.example/', AUTH_WEBHOOK_SECRET: SECRET }

/** A service whose one object of the ledger answers as the test says. */
function serviceWith(answers: Readonly<Record<string, () => Promise<unknown>>>) {
  const world = audited({}, ON)
  world.ledgers.objects.set('ledger', answers as never)
  return world.here
}

test.each([
  ['fails', () => Promise.reject(new Error('The object is down.'))],
  ['answers undefined', async () => undefined],
  ['answers text', async () => 'fine'],
  ['answers half of it', async () => ({ waiting: 1 })],
  ['answers a list of something else', async () => ({ waiting: 0, failed: [null] })],
  ['answers no number', async () => ({ waiting: '1', failed: [] })],
])('an object that %s is unavailable', async (_, answer) => {
  const service = serviceWith({ webhookState: answer, resend: answer })
  const expected = { name: 'StoreUnavailable' }
  await expect(service.call('webhooks')).rejects.toMatchObject(expected)
  await expect(service.call('resendWebhook', 'ledger_1')).rejects.toMatchObject(expected)
})

test('an object of a class without webhooks is unavailable', async () => {
  const service = serviceWith({})
  await expect(service.call('webhooks')).rejects.toMatchObject({ name: 'StoreUnavailable' })
})

test('without a URL and a secret, webhooks are off', async () => {
  const { here, ledgers } = audited()
  await expect(here.call('webhooks')).rejects.toThrow(/Webhooks are off/)
  await expect(here.call('resendWebhook', 'ledger_1')).rejects.toThrow(/Webhooks are off/)
  expect(ledgers.calls).toEqual([])
})

test.each([undefined, null, 1, '', 'a'.repeat(300), {}])('the id %j is refused', async (id) => {
  const { here } = audited({}, ON)
  await expect(here.call('resendWebhook', id as string)).rejects.toThrow(TypeError)
})

test.each([
  'ledger',
  'ledger_',
  'ledger_0',
  'ledger_01',
  'ledger_1e3',
  '_1',
  'other_1',
  'ledger-4-1_1',
  'ledger_1\n',
  '__proto___1',
  `ledger_${'9'.repeat(16)}`,
])('there is no record %j, and no object is asked', async (id) => {
  const { here, ledgers } = audited({}, ON)
  expect(await here.call('resendWebhook', id)).toBe(false)
  expect(ledgers.calls).toEqual([])
})
