import { afterEach, describe, expect, test } from 'vitest'
import { KEY, latchkey, operatorApi } from '../test-support/operator-api.js'

const open: (() => unknown)[] = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

async function service(...given: Parameters<typeof operatorApi>) {
  const server = await operatorApi(...given)
  open.push(server.close)
  return server
}

const state = {
  waiting: 3,
  failed: [
    {
      id: 'ledger-4-2_1234567',
      event: 'sign-in-refused',
      time: '2026-11-28T00:00:00.000Z',
      tries: 3,
      last: 'status 500',
      next: '2026-11-28T00:31:00.000Z',
    },
    {
      id: 'ledger_7',
      event: 'person-blocked',
      time: '2026-11-27T00:00:00.000Z',
      tries: 8,
      last: 'timeout',
      next: null,
    },
  ],
}

describe('latchkey webhooks', () => {
  test('shows messages that wait and messages that failed, in 80 columns', async () => {
    const { base } = await service({ webhooks: state })
    expect(await latchkey(base, ['webhooks'])).toEqual({
      code: 0,
      noted: '',
      printed: `Waiting  3
Failed   2

ID                  EVENT            TRIES  LAST        NEXT TRY
ledger-4-2_1234567  sign-in-refused  3      status 500  2026-11-28 00:31 UTC
ledger_7            person-blocked   8      timeout     none
`,
    })
  })

  test('shows no table if nothing failed', async () => {
    const { base } = await service({ webhooks: { waiting: 0, failed: [] } })
    expect((await latchkey(base, ['webhooks'])).printed).toBe('Waiting  0\nFailed   0\n')
  })

  test('says that there may be more, if the list is as long as it can be', async () => {
    const failed = Array.from({ length: 100 }, () => state.failed[0])
    const { base } = await service({ webhooks: { waiting: 0, failed } })
    const { printed } = await latchkey(base, ['webhooks'])
    expect(printed).toContain('Failed   100 or more: these are the latest\n')
  })

  test('prints the answer of the service with --json', async () => {
    const { base } = await service({ webhooks: state })
    const { code, printed } = await latchkey(base, ['webhooks', '--json'])
    expect(code).toBe(0)
    expect(JSON.parse(printed)).toEqual(state)
  })

  test('shows members that a service should not send, and obeys none', async () => {
    const failed = [{ id: '\u001b[2J', event: `${'x'.repeat(999)}`, last: {}, next: 7 }, 'x', null]
    const { base } = await service({ webhooks: { waiting: {}, failed } })
    const { code, printed } = await latchkey(base, ['webhooks'])
    expect(code).toBe(0)
    expect(printed).toContain('\ufffd[2J')
    expect(printed).not.toContain('\u001b')
    for (const line of printed.split('\n')) expect(line.length).toBeLessThan(120)
  })

  test('colors its headings at a terminal', async () => {
    const { base } = await service({ webhooks: state })
    const { printed } = await latchkey(base, ['webhooks'], {
      env: { LATCHKEY_URL: base, AUTH_OPERATOR_KEY: KEY },
      hasColor: true,
    })
    expect(printed).toContain('\u001b[1mWaiting\u001b[22m  3\n')
  })

  test.each([[null], [[]], ['x'], [{ waiting: 1 }]])(
    'a result of another shape is %j',
    async (result) => {
      const { base } = await service({ webhooks: result })
      const { code, printed } = await latchkey(base, ['webhooks', '--json'])
      expect(code).toBe(1)
      expect(JSON.parse(printed)).toMatchObject({ error: 'Unreachable' })
    },
  )
})

describe('latchkey webhooks resend', () => {
  test('sends one again', async () => {
    const { base, asked } = await service({ resendWebhook: true })
    const { code, printed } = await latchkey(base, ['webhooks', 'resend', 'ledger_7', '--json'])
    expect({ code, ...JSON.parse(printed) }).toEqual({ code: 0, done: true })
    expect(asked).toMatchObject([
      { path: '/auth/operator/resendWebhook', body: '{"id":"ledger_7"}' },
    ])
  })

  test('ends with 1 if there is no such record', async () => {
    const { base } = await service({ resendWebhook: false })
    const { code, printed } = await latchkey(base, ['webhooks', 'resend', 'ledger_7', '--json'])
    expect({ code, ...JSON.parse(printed) }).toMatchObject({ code: 1, error: 'NotFound' })
  })
})

test.each([
  [['resend'], 'Name one message'],
  [['resend', 'a', 'b'], 'Name one message'],
  [['send', 'a'], 'The only word'],
  [['--limit', '3'], 'There is no option "--limit"'],
])('latchkey webhooks %j is wrong use, and sends nothing', async (args, message) => {
  const { base, asked } = await service({})
  const { code, noted } = await latchkey(base, ['webhooks', ...args])
  expect(code).toBe(2)
  expect(noted).toContain(message)
  expect(asked).toEqual([])
})
