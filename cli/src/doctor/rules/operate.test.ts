import { expect, test } from 'vitest'
import { BINDINGS, expectFault, findingsIn, withSecret } from '../test-support/written.js'

test('an import that is open', async () => {
  await expectFault('import-open', {
    where: '.env AUTH_IMPORT_UNTIL',
    fault: { vars: withSecret('AUTH_IMPORT_UNTIL=2026-11-29') },
    mended: { vars: withSecret('AUTH_IMPORT_UNTIL=2026-11-28') },
  })
})

const HASH = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'
const KEY = `lkop_${'k'.repeat(43)}`
const keys = (list: string) => {
  const vars = withSecret(`AUTH_OPERATOR_KEYS=${list}`)
  return { vars }
}

/** Findings of one code: the variable is known once the tables of the documentation have it. */
async function findingsOf(code: string, written: Parameters<typeof findingsIn>[0]) {
  return (await findingsIn(written)).filter((one) => one.code === code)
}

test.each([
  [`night:admin:${HASH}`, 'Entry 2 of AUTH_OPERATOR_KEYS is malformed.'],
  ['night', 'Entry 2 of AUTH_OPERATOR_KEYS is malformed.'],
  [`night:read:${KEY}`, 'Entry 2 of AUTH_OPERATOR_KEYS is a key in the clear.'],
  [KEY, 'Entry 2 of AUTH_OPERATOR_KEYS is a key in the clear.'],
])('an entry of AUTH_OPERATOR_KEYS: %s', async (entry, what) => {
  const found = await findingsOf('operator-key', keys(`day:manage:${HASH},${entry}`))
  expect(found.map((one) => [one.what, one.where])).toEqual([[what, '.env AUTH_OPERATOR_KEYS']])
  expect(JSON.stringify(found)).not.toContain('lkop_')
  expect(await findingsOf('operator-key', keys(`day:manage:${HASH},night:read:${HASH}`))).toEqual(
    [],
  )
})

const URL_LINE = 'AUTH_WEBHOOK_URL=https://hooks.example.com/auth'
const SECRET_LINE = `AUTH_WEBHOOK_SECRET=whsec_${'A'.repeat(32)}`

test.each([
  [[URL_LINE], 'AUTH_WEBHOOK_SECRET is missing.'],
  [[SECRET_LINE], 'AUTH_WEBHOOK_URL is missing.'],
  [['AUTH_WEBHOOK_URL=http://hooks.example.com', SECRET_LINE], 'AUTH_WEBHOOK_URL is malformed.'],
  [[URL_LINE, 'AUTH_WEBHOOK_SECRET=whsec_short'], 'AUTH_WEBHOOK_SECRET is malformed.'],
  [[URL_LINE, SECRET_LINE, 'AUTH_WEBHOOK_EVENTS=sign-in,x'], 'AUTH_WEBHOOK_EVENTS is malformed.'],
  [['AUTH_WEBHOOK_EVENTS=x'], 'AUTH_WEBHOOK_EVENTS is malformed.'],
])('webhooks: %#', async (lines, what) => {
  const found = await findingsOf('webhook', { vars: withSecret(...lines) })
  expect(found.map((one) => one.what)).toEqual([what])
  const good = { vars: withSecret(URL_LINE, SECRET_LINE, 'AUTH_WEBHOOK_EVENTS=sign-out') }
  expect(await findingsOf('webhook', good)).toEqual([])
})

test('a secret of webhooks that the platform has is not missed', async () => {
  const toml = `${BINDINGS}[vars]\nAUTH_WEBHOOK_URL = "https://hooks.example.com/"`
  expect(await findingsOf('webhook', { toml })).toEqual([])
})
