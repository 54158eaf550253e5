import github from '@latchkey/worker/providers/github'
import { memoryStore } from '@latchkey/worker/stores/memory'
import { describe, expect, test, vi } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { ComponentKitAuth } from './component-kit-auth.js'
import { ada, config, ORIGIN, type Page, SECRET, TestApp, testWorker } from './test-app.js'

const { pass } = clock({ start: 'now' })

const tenantOf = (request: Request) => request.headers.get('x-tenant') ?? 'one'

/** One app for several tenants: a secret, a provider and a store for each. */
function tenants() {
  const stores = { one: memoryStore(), two: memoryStore() }
  return async ({ request }: { request: Request }) => {
    const tenant = tenantOf(request) as 'one' | 'two'
    await Promise.resolve()
    return {
      ...config,
      providers: [{ ...ada, id: `password-${tenant}`, name: tenant }],
      secret: `${SECRET}-${tenant}`,
      store: stores[tenant],
      callbacks: {
        session: ({ session }: { session: object }) => ({ ...session, tenant }) as never,
      },
    }
  }
}

describe('a config that is made for each request', () => {
  test('is made once for each request, and only when it is needed', async () => {
    const source = vi.fn(async () => config)
    const app = new TestApp(ComponentKitAuth(source))
    await app.visit('/')
    await app.visit('/auth')
    await app.visit('/a/b')
    await app.who()
    expect(source).not.toHaveBeenCalled()
    await app.signIn()
    expect(source).toHaveBeenCalledOnce()
    const reads: Page = async ({ locals }) => [await locals.auth(), await locals.auth()]
    await app.visit('/', reads)
    expect(source).toHaveBeenCalledTimes(2)
    await app.visit('/auth/session')
    expect(source).toHaveBeenCalledTimes(3)
  })

  test('is not seen by another request at the same time: one tenant’s providers in another’s', async () => {
    const app = new TestApp(ComponentKitAuth(tenants()))
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const tenant = index % 2 ? 'one' : 'two'
        const init = { headers: { 'x-tenant': tenant } }
        const found = (await (await app.visit('/auth/providers', undefined, init)).json()) as object
        return Object.keys(found).join() === `password-${tenant}`
      }),
    )
    expect(answers).toEqual(answers.map(() => true))
  })

  test('keeps one tenant’s session out of another’s', async () => {
    const app = new TestApp(ComponentKitAuth(tenants()))
    const fields = { providerId: 'password-two', username: 'ada', password: 'lovelace' }
    await app.submit(app.auth.signIn, fields, { headers: { 'x-tenant': 'two' } })
    const page: Page = async ({ locals }) => await locals.auth()
    const sessionOf = async (tenant: string) =>
      (await app.visit('/', page, { headers: { 'x-tenant': tenant } })).json()
    expect(await sessionOf('two')).toMatchObject({ tenant: 'two', user: { name: 'Ada' } })
    expect(await sessionOf('one')).toBe(null)
  })

  test('renews with its own callbacks, not with those of the request before', async () => {
    const app = new TestApp(
      ComponentKitAuth(({ request }) => ({
        ...config,
        callbacks: {
          session: ({ session }) => ({ ...session, by: request.headers.get('x-by') }) as never,
        },
      })),
    )
    await app.signIn()
    const page: Page = async ({ locals }) => await locals.auth()
    await app.visit('/', page, { headers: { 'x-by': 'first' } })
    pass(301)
    const second = await app.visit('/', page, { headers: { 'x-by': 'second' } })
    expect(await second.json()).toMatchObject({ by: 'second' })
  })

  test('verifies with its own keys alone, also if all tenants have one Worker', async () => {
    const worker = testWorker()
    const app = new TestApp(
      ComponentKitAuth(({ request }) => ({
        worker,
        logger: { error() {} },
        secret: tenantOf(request) === 'one' ? SECRET : `${SECRET}-of-another`,
      })),
    )
    await app.signIn()
    const page: Page = async ({ locals }) => await locals.auth()
    const sessionOf = async (tenant: string) =>
      (await app.visit('/', page, { headers: { 'x-tenant': tenant } })).json()
    expect(await sessionOf('one')).toMatchObject({ user: { name: 'Ada' } })
    expect(await sessionOf('two')).toBe(null)
    expect(await sessionOf('one')).toMatchObject({ user: { name: 'Ada' } })
  })

  test('keeps the sessions and the providers of one Worker out of another’s', async () => {
    const other = { ...ada, id: 'other' }
    const workers = {
      one: testWorker(),
      two: testWorker({ secret: `${SECRET}-of-another`, providers: [other] }),
    }
    const app = new TestApp(
      ComponentKitAuth(({ request }) => ({ worker: workers[tenantOf(request) as 'one' | 'two'] })),
    )
    const page: Page = async ({ locals }) => (await locals.auth())?.user?.name ?? null
    const whoIsIn = async (tenant: string) =>
      (await app.visit('/', page, { headers: { 'x-tenant': tenant } })).json()
    await app.signIn()
    expect([await whoIsIn('one'), await whoIsIn('two')]).toEqual(['Ada', null])
    const fields = { providerId: 'other', username: 'ada', password: 'lovelace' }
    await app.submit(app.auth.signIn, fields, { headers: { 'x-tenant': 'two' } })
    expect([await whoIsIn('one'), await whoIsIn('two')]).toEqual([null, 'Ada'])
  })

  test('verifies a token once, however often the app is created', async () => {
    const app = new TestApp(ComponentKitAuth(() => ({ ...config })))
    await app.signIn()
    expect(await app.who()).toBe('Ada')
    const verify = vi.spyOn(crypto.subtle, 'verify')
    for (let request = 0; request < 5; request++) expect(await app.who()).toBe('Ada')
    expect(verify).not.toHaveBeenCalled()
    verify.mockRestore()
  })

  test('sees its own sign-outs, however often the app is created', async () => {
    const app = new TestApp(ComponentKitAuth(() => ({ ...config })))
    await app.signIn()
    expect(await app.who()).toBe('Ada')
    const stolen = app.cookies.get('auth.session-token') ?? ''
    await app.submit(app.auth.signOut, {})
    app.cookies.set('auth.session-token', stolen)
    expect(await app.who()).toBe(null)
  })

  test('that throws fails its own request and no other', async () => {
    let isBroken = true
    const app = new TestApp(
      ComponentKitAuth(() => {
        if (isBroken) throw new Error('no bindings')
        return config
      }),
    )
    await expect(app.visit('/auth/session')).rejects.toThrow('no bindings')
    isBroken = false
    expect((await app.visit('/auth/session')).status).toBe(200)
  })
})

describe('two ComponentKitAuth in one process', () => {
  test('have stores of their own', async () => {
    const first = new TestApp(ComponentKitAuth(config))
    const second = new TestApp(ComponentKitAuth(config))
    await first.signIn()
    first.cookies.clear()
    await first.signIn()
    for (const [name, value] of first.cookies) second.cookies.set(name, value)
    const count = async (app: TestApp) => {
      const answer = await app.visit('/auth/sessions')
      return ((await answer.json()) as { sessions: unknown[] }).sessions.length
    }
    // The current session is always in the list.
    expect([await count(first), await count(second)]).toEqual([2, 1])
  })
})

/** The lines on the console until the test ends. */
function saidOf(method: 'error' | 'warn'): string[] {
  const said: string[] = []
  vi.spyOn(console, method).mockImplementation((line) => void said.push(String(line)))
  return said
}

describe('a configuration that cannot be used', () => {
  test('is an error at the start when it names two services', () => {
    const both = { ...config, worker: 'https://auth.example/auth' }
    expect(() => ComponentKitAuth(both as never)).toThrow(/`providers` and `worker` cannot/)
    // @ts-expect-error: the types refuse it too
    const typed: Parameters<typeof ComponentKitAuth>[0] = both
    expect(typed).toBe(both)
  })

  test.each(['auth', '/', '', '/a b'])(
    'is an error at the start with the base path %j',
    (basePath) => {
      for (const service of [{ providers: [ada] }, { worker: 'https://auth.example' }]) {
        const start = () => ComponentKitAuth({ ...service, basePath })
        expect(start).toThrow(/The base path ".*" must look like \/auth/)
      }
    },
  )

  const failing: [string, Parameters<typeof ComponentKitAuth>[0], object, RegExp][] = [
    [
      'the environment names another service',
      config,
      { AUTH_WORKER_URL: 'https://a.example' },
      /AUTH_WORKER_URL cannot/,
    ],
    ['the secret is missing', { providers: [ada] }, {}, /AUTH_SECRET is not set/],
    [
      'the secret is missing in `vite dev`',
      { providers: [ada] },
      { NODE_ENV: 'development' },
      /AUTH_SECRET is not set.* \.env: .*loadEnv\(mode, process\.cwd\(\), 'AUTH_'\)/,
    ],
    ['the secret is short', { providers: [ada], secret: 'short' }, {}, /at least 32/],
    [
      'the base path is not a path',
      async () => ({ ...config, basePath: '/a b' }),
      {},
      /must look like \/auth/,
    ],
    ['the Worker is not a URL', { worker: 'auth.example' }, {}, /must be a URL/],
    [
      'nothing names the app whose sessions are read',
      {},
      {},
      /AUTH_SECRET, AUTH_PUBLIC_KEYS or AUTH_WORKER_URL/,
    ],
    ['an origin is invalid', { ...config, trustedOrigins: ['x'] }, {}, /not an origin/],
  ]
  test('is logged once, with the first request of any kind', async () => {
    const said = saidOf('error')
    const app = new TestApp(ComponentKitAuth({ providers: [ada] }))
    for (const path of ['/', '/about', '/']) expect((await app.visit(path)).status).toBe(200)
    expect(said).toEqual([expect.stringContaining('SecretError: AUTH_SECRET is not set')])
  })

  test('missing settings of a provider are logged once, with the first request', async () => {
    const said: string[] = []
    const logger = { error: ({ message }: Error) => void said.push(message), warn() {} }
    const app = new TestApp(
      ComponentKitAuth({ providers: [ada, github()], secret: SECRET, logger }),
    )
    await app.visit('/')
    await vi.waitFor(() => expect(said).toHaveLength(1))
    expect(said[0]).toContain('AUTH_GITHUB_ID')
    expect(Object.keys(await (await app.visit('/auth/providers')).json())).toEqual(['credentials'])
    expect(said).toHaveLength(1)
  })

  test.each(failing)(
    'is an error of the first request when %s',
    async (_, source, env, message) => {
      const app = new TestApp(ComponentKitAuth(source))
      const said = saidOf('error')
      for (const accept of ['application/json', 'text/html']) {
        const init = { headers: { accept } }
        const answer = await app.visit('/auth/session', undefined, init, { platform: { env } })
        expect(answer.status).toBe(500)
        expect(answer.headers.get('cache-control')).toBe('private, no-store')
        const words =
          'Sign-in is not configured correctly. The reason is in the log of the service.'
        const text = JSON.stringify({ error: 'Configuration', message: words })
        expect(await answer.text()).toBe(accept === 'text/html' ? words : text)
      }
      expect(said).toEqual([expect.stringMatching(message), expect.stringMatching(message)])
      await app.visit(
        '/',
        async ({ locals }) => {
          await expect(locals.auth()).rejects.toThrow(message)
        },
        { headers: { cookie: 'auth.session-token=x' } },
        { platform: { env } },
      )
    },
  )
})

describe('the environment', () => {
  test('is read from the platform before the process', async () => {
    vi.stubEnv('AUTH_SECRET', `${SECRET}-of-the-process`)
    const source = { providers: [ada], logger: config.logger ?? {} }
    const auth = ComponentKitAuth(source)
    const app = new TestApp(auth)
    const platform = { env: { AUTH_SECRET: SECRET } }
    await app.signIn({ platform })
    expect(await app.who({ platform })).toBe('Ada')
    expect(await app.who()).toBe(null)
    vi.unstubAllEnvs()
  })

  test('stores sessions in the bindings, and an error names one that is missing', async () => {
    const records = new Map<string, string>()
    const SESSIONS = {
      get: async (key: string) => JSON.parse(records.get(key) ?? 'null'),
      put: async (key: string, value: string) => void records.set(key, value),
      delete: async (key: string) => void records.delete(key),
      list: async () => ({ keys: [] }),
    }
    const { ledger } = memoryStore()
    const LEDGER = { idFromName: (name: string) => name, get: () => ledger }
    const app = new TestApp(ComponentKitAuth(config))
    const platform = { env: { SESSIONS, LEDGER } }
    await app.signIn({ platform })
    expect(records.size).toBe(1)
    expect(await app.who({ platform })).toBe('Ada')
    const stolen = app.cookies.get('auth.session-token') ?? ''
    await app.submit(app.auth.signOut, {}, {}, { platform })
    expect(records.size).toBe(0)
    app.cookies.set('auth.session-token', stolen)
    expect(await app.who({ platform })).toBe(null)
    const errors: string[] = []
    const logger = { error: ({ message }: Error) => void errors.push(message) }
    const half = new TestApp(ComponentKitAuth({ ...config, logger }))
    await half.signIn({ platform: { env: { SESSIONS } } })
    expect(half.cookies.has('auth.session-token')).toBe(false)
    expect(errors.join()).toContain('LEDGER (Durable Object)')
  })

  test('names the Worker by AUTH_WORKER_URL of the platform', async () => {
    const worker = testWorker()
    const fetching = vi
      .spyOn(globalThis, 'fetch')
      .mockImplementation((url, init) => worker.fetch(String(url), init))
    const app = new TestApp(ComponentKitAuth({}))
    const platform = { env: { AUTH_WORKER_URL: 'https://auth.example', AUTH_SECRET: SECRET } }
    await app.visit('/auth/session', undefined, {}, { platform })
    expect(worker.requests.map(({ url }) => url)).toContain('https://auth.example/auth/session')
    fetching.mockRestore()
  })

  test('passes work after the answer to waitUntil, in a Worker', async () => {
    const waitUntil = vi.fn()
    const app = new TestApp(ComponentKitAuth({ ...config, events: {} }))
    for (const name of ['ctx', 'context']) {
      waitUntil.mockClear()
      const platform = { env: {}, [name]: { waitUntil } }
      await app.signIn({ platform })
      await app.submit(app.auth.signOut, {}, {}, { platform })
      expect(waitUntil).toHaveBeenCalled()
    }
  })

  test('is not read while a module is loaded', () => {
    vi.stubGlobal('process', undefined)
    expect(() => ComponentKitAuth({ providers: [ada] })).not.toThrow()
    vi.unstubAllGlobals()
    expect(ORIGIN).toBeTruthy()
  })
})
