import { expect, test } from 'vitest'
import { BINDINGS, expectFault, findingsIn, withSecret } from '../test-support/written.js'

const STORE = 'AUTH_STORE=file:auth.db'
const WEBHOOK = [
  'AUTH_WEBHOOK_URL=https://hooks.example.com/auth',
  `AUTH_WEBHOOK_SECRET=whsec_${'A'.repeat(32)}`,
]

test('production on Node in memory', async () => {
  const production = 'NODE_ENV=production'
  await expectFault('memory-store', {
    where: '.env AUTH_STORE',
    fault: { vars: withSecret(production) },
    mended: { vars: withSecret(production, STORE) },
  })
  // Its Worker keeps everything.
  const app = withSecret(production, 'AUTH_WORKER_URL=https://auth.example.com/auth')
  expect(await findingsIn({ vars: app })).toEqual([])
  expect(await findingsIn({ toml: BINDINGS, vars: withSecret(production) })).toEqual([])
})

test.each([
  ['AUTH_AUDIT_DAYS', ['AUTH_AUDIT_DAYS=90']] as const,
  ['AUTH_WEBHOOK_URL', WEBHOOK] as const,
])('an audit log in memory: %s', async (name, lines) => {
  await expectFault('audit-store', {
    where: `.env ${name}`,
    fault: { vars: withSecret(...lines) },
    mended: { vars: withSecret(...lines, STORE) },
  })
})
