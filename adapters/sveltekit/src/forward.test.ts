import { createAuth } from '@latchkey/worker'
import { memoryStore } from '@latchkey/worker/stores/memory'
import { afterEach, describe, expect, test, vi } from 'vitest'
import * as forward from './forward.js'
import * as whole from './index.js'
import { ada, config, SECRET, TestApp } from './test-app.js'

afterEach(() => vi.restoreAllMocks())

const quiet = { error() {}, warn() {} }

describe('an app that forwards', () => {
  test('signs in at the Worker and reads the session', async () => {
    const shared = { secret: SECRET, trustHost: true, logger: quiet }
    const auth = createAuth({
      ...shared,
      basePath: '/auth',
      providers: [ada],
      store: memoryStore(),
    })
    const worker = {
      fetch: (url: string, init?: RequestInit) => auth.fetch(new Request(url, init), {}),
    }
    const app = new TestApp(forward.ComponentKitAuth({ ...shared, worker }))
    await app.signIn()
    const answer = await app.visit('/', async ({ locals }) => (await locals.auth())?.user?.name)
    expect(await answer.json()).toBe('Ada')
  })

  const ADVICE = "import ComponentKitAuth from '@latchkey/sveltekit', or configure `worker`"

  test('refuses `providers` at once, and names the entry that has the service', () => {
    const served = config as unknown as forward.ForwardedConfig
    expect(() => forward.ComponentKitAuth(served)).toThrow(ADVICE)
  })

  test('refuses `providers` of a function at the first request', async () => {
    const error = vi.spyOn(console, 'error').mockImplementation(() => {})
    const served = config as unknown as forward.ForwardedConfig
    const app = new TestApp(forward.ComponentKitAuth(() => served))
    expect((await app.visit('/auth/session')).status).toBe(500)
    expect(error.mock.calls.flat().join('\n')).toContain(ADVICE)
  })

  test('has every name of the whole entry', () => {
    expect(Object.keys(forward).sort()).toEqual(Object.keys(whole).sort())
  })
})
