import { expect, test } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { examplesIn } from '../../../../test/support/example-below.js'
import {
  authjsCookies,
  betterAuthApp,
  headerOf,
  OLD_SECRET,
} from '../../../../test/support/old-cookies.js'
import { FakeLedgers } from '../../test-support/deployment.js'
import { FakeKv } from '../../test-support/kv.js'
import type { AuthHandler } from '../../types.js'

clock()
const exampleBelow = examplesIn('move-in')

/** The example of docs/move-in.md, run unchanged. */
test('the example of the documentation takes in a session of either library', async () => {
  const { default: auth } = await exampleBelow<{ default: AuthHandler<object> }>('The option')
  const app = betterAuthApp()
  const env = {
    AUTH_SECRET: 'a-secret-of-the-tests-0123456789abcdef',
    SESSIONS: new FakeKv().at('here'),
    LEDGER: new FakeLedgers().binding,
    OLD_SECRET,
    OLD_DATABASE: { sessionWithUser: app.findSession },
  }
  for (const jar of [await authjsCookies(), await app.signUp('ada@example.com')]) {
    const headers = { cookie: headerOf(jar) }
    const answer = await auth.request('https://app.example/api/auth/session', { headers }, env)
    expect(await answer.json()).toMatchObject({ user: { email: 'ada@example.com' } })
  }
})
