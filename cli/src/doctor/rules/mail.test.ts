import { expect, test } from 'vitest'
import { BINDINGS, expectFault, findingsIn, withSecret } from '../test-support/written.js'

const FROM = 'AUTH_EMAIL_FROM=Example <sign-in@example.com>'

test.each(['AUTH_RESEND_KEY', 'AUTH_POSTMARK_KEY', 'AUTH_SES_KEY'])(
  'a sender that nothing sends for, and %s',
  async (key) => {
    await expectFault('mail-unsent', {
      where: '.env AUTH_EMAIL_FROM',
      fault: { vars: withSecret(FROM, `${key}=`) },
      mended: { vars: withSecret(FROM, `${key}=x`) },
    })
  },
)

test('a sender without the binding of a Worker', async () => {
  const toml = BINDINGS.replace('[[send_email]]\nname = "EMAIL"', '')
  await expectFault('mail-unsent', {
    where: '.dev.vars AUTH_EMAIL_FROM',
    fault: { toml, vars: withSecret(FROM) },
    mended: { toml: BINDINGS, vars: withSecret(FROM) },
  })
  // The key may be a secret of the deployed Worker.
  expect(await findingsIn({ toml: `${toml}[vars]\nAUTH_EMAIL_FROM = "a@example.com"` })).toEqual([])
})

test('an app on Node may send its mails itself: no error, which would end the command with 1', async () => {
  const found = await findingsIn({ vars: withSecret(FROM) })
  expect(found).toMatchObject([{ code: 'mail-unsent', level: 'warning' }])
})

test('another key does not send mails', async () => {
  const vars = withSecret(FROM, 'AUTH_APP_KEY=0123456789abcdef0123456789abcdef')
  const found = await findingsIn({ vars })
  expect(found.map(({ code }) => code)).toEqual(['mail-unsent'])
})

test.each(['Example', 'Example <sign-in>', 'a@example.com, b@example.com', 'a@'])(
  'the sender %s',
  async (from) => {
    await expectFault('mail-from', {
      where: '.env AUTH_EMAIL_FROM',
      fault: { vars: withSecret(`AUTH_EMAIL_FROM=${from}`, 'AUTH_RESEND_KEY=x') },
      mended: { vars: withSecret(FROM, 'AUTH_RESEND_KEY=x') },
    })
  },
)
