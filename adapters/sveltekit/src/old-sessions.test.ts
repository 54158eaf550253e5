import { authjs } from '@latchkey/worker/migrate'
import { memoryStore } from '@latchkey/worker/stores/memory'
import { describe, expect, test } from 'vitest'
import { authjsCookies, OLD_SECRET } from '../../../test/support/old-cookies.js'
import { ComponentKitAuth } from './component-kit-auth.js'
import { config, SECRET, TestApp, testWorker } from './test-app.js'

const migrateFrom = [authjs({ secret: OLD_SECRET, until: new Date(Date.now() + 86_400_000) })]

describe.each([
  [
    'in process',
    () => new TestApp(ComponentKitAuth({ ...config, store: memoryStore(), migrateFrom })),
  ],
  [
    'forwarded',
    () => new TestApp(ComponentKitAuth({ worker: testWorker({ migrateFrom }), secret: SECRET })),
  ],
])('an old session, %s,', (_, make) => {
  async function visitor() {
    const app = make()
    for (const [name, value] of await authjsCookies()) app.cookies.set(name, value)
    return app
  }

  test('moves in by locals.auth(), also if several loads ask at once', async () => {
    const app = await visitor()
    const answer = await app.visit('/who', async ({ locals }) => {
      const found = await Promise.all([locals.auth(), locals.auth()])
      return found.map((session) => session?.user?.id)
    })
    expect(await answer.json()).toEqual(['7', '7'])
    expect([...app.cookies.keys()]).toEqual(['auth.session-token'])
    expect(await app.who()).toBe('Ada')
  })

  test('does not move in by a read that comes after the answer', async () => {
    const app = await visitor()
    let auth: App.Locals['auth'] | undefined
    await app.visit('/streamed', ({ locals }) => {
      auth = locals.auth
    })
    expect(auth && (await auth())).toBeNull()
    expect(await app.who()).toBe('Ada')
  })
})
