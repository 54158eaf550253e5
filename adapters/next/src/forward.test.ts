import { expect, test } from 'vitest'
import NextAuth from './forward.js'
import { Browser, binding, quiet } from './test-app.js'

test('the entry that forwards signs in by the Worker, and refuses providers by name', async () => {
  const { handlers, auth } = NextAuth({ worker: binding(), logger: quiet })
  const browser = new Browser('/auth')
  await browser.signIn(handlers)
  expect((await browser.render(() => auth())).value?.user?.name).toBe('ann')
  const served = NextAuth({ providers: [] } as never)
  await expect(browser.render(() => served.auth())).rejects.toThrow('@latchkey/next')
})
