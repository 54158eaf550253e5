import { expect, test } from 'vitest'
import { BINDINGS, expectFault, findingsIn, SECRET, withSecret } from '../test-support/written.js'
import { isSecret } from './secrets.js'

const OTHER = 'b7d109ac6e5f3482'.repeat(4)

test('a file of variables without a secret', async () => {
  await expectFault('secret-missing', {
    where: '.dev.vars AUTH_SECRET',
    fault: { toml: BINDINGS, vars: 'AUTH_SECRET=\n' },
    mended: { toml: BINDINGS, vars: `AUTH_SECRET_2=${SECRET}` },
  })
  // The secrets of the Worker are with the platform.
  expect(await findingsIn({ toml: BINDINGS })).toEqual([])
})

test('an app needs no secret', async () => {
  expect(await findingsIn({ vars: 'AUTH_WORKER_URL=https://auth.example.com/auth' })).toEqual([])
})

test('a secret of 31 characters, not of 32', async () => {
  const vars = (length: number) => `AUTH_SECRET_1=${SECRET.slice(0, length)}`
  await expectFault('secret-short', {
    where: '.env AUTH_SECRET_1',
    fault: { vars: vars(31) },
    mended: { vars: vars(32) },
  })
})

test.each([
  ['has nine different characters', 'abcdefghi'.repeat(5)],
  ['is the test vector of the documentation', 'known-answer-secret-0123456789abcdef'],
  ['is the text of an example', 'change-me-0123456789abcdefghijklmnop'],
])('a secret that %s', async (_, value) => {
  await expectFault('secret-weak', {
    where: '.env AUTH_SECRET',
    fault: { vars: `AUTH_SECRET=${value}` },
    mended: { vars: withSecret() },
  })
})

test('ten different characters suffice', async () => {
  expect(await findingsIn({ vars: `AUTH_SECRET=${'abcdefghij'.repeat(4)}` })).toEqual([])
})

test('the same secret twice', async () => {
  const found = await expectFault('secret-twice', {
    where: '.env AUTH_SECRET_1',
    fault: { vars: withSecret(`AUTH_SECRET_1=${SECRET}`) },
    mended: { vars: withSecret(`AUTH_SECRET_1=${OTHER}`) },
  })
  expect(found.what).toBe('AUTH_SECRET_1 is the same as AUTH_SECRET.')
})

test('a secret with a number that is not read', async () => {
  await expectFault('secret-unread', {
    where: '.env AUTH_SECRET_4',
    fault: { vars: withSecret(`AUTH_SECRET_4=${OTHER}`) },
    mended: { vars: withSecret(`AUTH_SECRET_3=${OTHER}`) },
  })
})

test.each([
  ['AUTH_SECRET_1', OTHER],
  ['AUTH_RESEND_KEY', 're_0123'],
  ['AUTH_APP_KEYS', `https://app.example.com=${OTHER}`],
])('%s in the wrangler file', async (name, value) => {
  await expectFault('secret-in-vars', {
    where: `wrangler.toml ${name}`,
    fault: { toml: `${BINDINGS}[vars]\n${name} = "${value}"`, vars: withSecret() },
    mended: { toml: BINDINGS, vars: withSecret(`${name}=${value}`) },
  })
})

test.each([
  ['AUTH_GITHUB_SECRET', 's', true],
  ['AUTH_APP_SPA_SECRET', 's', true],
  ['AUTH_WEBHOOK_SECRET', 'whsec_x', true],
  ['AUTH_OPERATOR_KEY', 'lkop_x', true],
  ['AUTH_APPLE_PRIVATE_KEY', 'x', true],
  ['AUTH_TURNSTILE_SECRET_KEY', '0x4AAAAAAAAAAAA', true],
  ['AUTH_STORE', 'postgres://app:word@db.example.com/app', true],
  ['AUTH_STORE', 'postgres://app@db.example.com/app', false],
  ['AUTH_TURNSTILE_SECRET_KEY', '1x0000000000000000000000000000000AA', false],
  ['AUTH_TURNSTILE_SITE_KEY', '0x4AAAAAAAAAAAA', false],
  ['AUTH_APPLE_KEY_ID', 'F6G7H8I9J0', false],
  ['AUTH_OPERATOR_KEYS', 'night:read:00', false],
  ['AUTH_PUBLIC_KEYS', '{}', false],
  ['AUTH_KEYS_PREFIX', 'ex', false],
  ['AUTH_SECRET', '', false],
  ['AUTH_SECRET', 5, false],
])('%s is secret with the value %j: %s', (name, value, expected) => {
  expect(isSecret(name, value)).toBe(expected)
})

test.each([
  ['open', 'echo .env >> .gitignore'],
  ['tracked', 'git rm --cached .env && echo .env >> .gitignore'],
] as const)('a file of secrets that is %s in git', async (inGit, fix) => {
  const found = await expectFault('secret-in-git', {
    where: '.env',
    fault: { vars: withSecret(), inGit },
    mended: { vars: withSecret(), inGit: 'ignored' },
  })
  expect(found.fix).toBe(fix)
  // A file without a secret may be committed.
  const vars = 'AUTH_WORKER_URL=https://auth.example.com/auth'
  expect(await findingsIn({ vars, inGit })).toEqual([])
})
