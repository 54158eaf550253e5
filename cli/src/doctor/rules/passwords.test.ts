import { test } from 'vitest'
import { BINDINGS, expectFault, withSecret } from '../test-support/written.js'

const FROM = 'AUTH_EMAIL_FROM=Example <sign-in@example.com>'
const ON = 'AUTH_PASSWORD=true'
const PAID = `${BINDINGS}\n[limits]\ncpu_ms = 500\n`

test('passwords without mails', async () => {
  await expectFault('password-mail', {
    where: '.dev.vars AUTH_PASSWORD',
    fault: { toml: PAID, vars: withSecret(ON) },
    mended: { toml: PAID, vars: withSecret(ON, FROM) },
  })
})

test('passwords on the Free plan', async () => {
  await expectFault('password-plan', {
    where: 'wrangler.toml limits',
    fault: { toml: BINDINGS, vars: withSecret(ON, FROM) },
    mended: { toml: PAID, vars: withSecret(ON, FROM) },
  })
})

test.each([
  ['AUTH_PASSWORD', 'yes', 'true'],
  ['AUTH_PASSWORD_BREACHED', '1', 'true'],
  ['AUTH_PASSWORD_MIN_LENGTH', '7', '8'],
])('%s=%s', async (name, wrong, right) => {
  const base = name === 'AUTH_PASSWORD' ? [FROM] : [FROM, ON]
  await expectFault('variable-invalid', {
    where: `.dev.vars ${name}`,
    fault: { toml: PAID, vars: withSecret(...base, `${name}=${wrong}`) },
    mended: { toml: PAID, vars: withSecret(...base, `${name}=${right}`) },
  })
})
