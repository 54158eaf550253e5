import { mintSession } from '@latchkey/session/testing'
import github from '@latchkey/worker/providers/github'
import { type Context, Hono } from 'hono'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { AuthHandlerConfig } from './index.js'
import { authHandler, getSession, session } from './index.js'
import { Browser, binding, inProcess, modes, ORIGIN, SECRET } from './test-app.js'

afterEach(() => {
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
})

/** An app with the auth routes at /auth, and the session at /me. */
function appWith(config: AuthHandlerConfig): Hono {
  const app = new Hono()
  app.all('/auth/*', authHandler(config))
  app.get('/me', async (c) => c.json(await getSession(c, config)))
  app.notFound((c) => c.text('the app has no such page', 404))
  return app
}

async function callbackUrl(app: Hono, path: string, headers = {}): Promise<string> {
  const answer = await app.request(path, { headers })
  if (answer.status !== 200) return String(answer.status)
  const { credentials } = (await answer.json()) as { credentials: { callbackUrl: string } }
  return credentials.callbackUrl
}

describe.each(modes)('%s', (_, config) => {
  test('answers a method that a route does not know with 405, and HEAD without a body', async () => {
    const app = appWith(config())
    for (const method of ['PUT', 'DELETE', 'OPTIONS']) {
      const answer = await app.request('/auth/csrf', { method })
      expect([method, answer.status, answer.headers.get('allow')]).toEqual([
        method,
        405,
        'GET, HEAD',
      ])
    }
    expect((await app.request('/auth/csrf', { method: 'HEAD' })).status).toBe(200)
  })

  test.each([
    ['not at all', async () => undefined],
    ['as text', (c: Context) => c.req.text()],
    ['as bytes', (c: Context) => c.req.arrayBuffer()],
    ['as a blob', (c: Context) => c.req.blob()],
    ['as a form', (c: Context) => c.req.formData()],
    ['by parseBody', (c: Context) => c.req.parseBody()],
  ])('takes a form that the app has read %s', async (_, read) => {
    const app = new Hono()
    app.use(async (c, next) => {
      if (c.req.method === 'POST') await read(c)
      await next()
    })
    app.all('/auth/*', authHandler(config()))
    const browser = new Browser(app)
    const fields = { username: 'änn & bö', password: 'right' }
    await browser.post('/callback/credentials', '/auth', fields)
    const answer = await browser.go('/auth/session')
    expect(await answer.json()).toMatchObject({ user: { name: 'änn & bö' } })
  })

  test('takes JSON that the app has read', async () => {
    const app = new Hono()
    app.use(async (c, next) => {
      if (c.req.method === 'POST') await c.req.json()
      await next()
    })
    app.all('/auth/*', authHandler(config()))
    const browser = new Browser(app)
    const { csrfToken } = (await (await browser.go('/auth/csrf')).json()) as { csrfToken: string }
    const answer = await browser.go('/auth/callback/credentials', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-auth-return-redirect': '1' },
      body: JSON.stringify({ csrfToken, username: 'ann', password: 'right' }),
    })
    expect([answer.status, browser.cookie]).toEqual([200, expect.stringContaining('session-token')])
  })
})

describe('the base path', () => {
  const build = (mount: (app: Hono, auth: ReturnType<typeof authHandler>) => unknown) => {
    const app = new Hono()
    mount(app, authHandler(inProcess()))
    app.get('/me', session(inProcess()), (c) => c.json(c.var.session))
    return app
  }

  test.each([
    ['all', '/auth', build((app, auth) => app.all('/auth/*', auth))],
    ['use', '/auth', build((app, auth) => app.use('/auth/*', auth))],
    ['methods', '/auth', build((app, auth) => app.on(['GET', 'POST'], '/auth/*', auth))],
    ['a deeper path', '/api/auth', build((app, auth) => app.all('/api/auth/*', auth))],
    [
      'a sub-app',
      '/app/auth',
      build((app, auth) => app.route('/app', new Hono().all('/auth/*', auth))),
    ],
    [
      'a sub-app in a sub-app',
      '/a/b/auth',
      build((app, auth) =>
        app.route('/a', new Hono().route('/b', new Hono().all('/auth/*', auth))),
      ),
    ],
    [
      'a sub-app with an error handler of its own',
      '/app/auth',
      build((app, auth) => {
        const sub = new Hono().all('/auth/*', auth)
        sub.onError((_, c) => c.text('no', 500))
        app.route('/app', sub)
      }),
    ],
    [
      'a base path of the app',
      '/base/auth',
      build((app, auth) => app.route('/', new Hono().basePath('/base').all('/auth/*', auth))),
    ],
    ['a parameter', '/acme/auth', build((app, auth) => app.all('/:tenant/auth/*', auth))],
    ['a name of a route', '/signin/auth', build((app, auth) => app.all('/signin/auth/*', auth))],
    ['the root', '/auth', build((app, auth) => app.use(auth))],
    ['the root by a wildcard', '/auth', build((app, auth) => app.all('*', auth))],
  ])('is the part before the wildcard: %s', async (_, base, app) => {
    const url = `http://localhost${base}`
    expect(await callbackUrl(app, `${url}/providers`)).toBe(`${url}/callback/credentials`)
    const browser = new Browser(app, 'http://localhost')
    await browser.signIn(base)
    expect(await (await browser.go(`${base}/session`)).json()).toMatchObject({
      user: { name: 'ann' },
    })
  })

  test('cannot be chosen by a request for a route elsewhere', async () => {
    const app = new Hono().use(authHandler(inProcess()))
    expect((await app.request('/other/session')).status).toBe(404)
  })

  test('`basePath` comes before the mount, as for an app behind a proxy that strips a part', async () => {
    const said: string[] = []
    const logger = { error() {}, warn: (code: string) => void said.push(code) }
    const app = new Hono().all(
      '/auth/*',
      authHandler(inProcess({ basePath: '/shop/auth', logger })),
    )
    for (let count = 0; count < 2; count++) {
      expect(await callbackUrl(app, '/auth/providers')).toBe(
        'http://localhost/shop/auth/callback/credentials',
      )
    }
    expect(said).toEqual(['base-path'])
  })

  test('that of AUTH_URL comes before the mount too, and `basePath` before both', async () => {
    vi.stubEnv('AUTH_URL', 'https://example.com/shop/auth')
    const app = new Hono().all('/auth/*', authHandler(inProcess()))
    const url = 'https://example.com/shop/auth/callback/credentials'
    expect(await callbackUrl(app, '/auth/providers')).toBe(url)
    const other = new Hono().all('/auth/*', authHandler(inProcess({ basePath: '/auth' })))
    expect(await callbackUrl(other, '/auth/providers')).toBe(
      'https://example.com/auth/callback/credentials',
    )
  })
})

describe('a configuration that is a function', () => {
  test('is called once for each request, with its context, and requests share nothing', async () => {
    const tenants: string[] = []
    const app = new Hono<{ Bindings: { TENANT: string } }>()
    app.all(
      '/auth/*',
      authHandler<{ Bindings: { TENANT: string } }>(async (c) => {
        tenants.push(c.env.TENANT)
        return inProcess({ secret: SECRET + c.env.TENANT })
      }),
    )
    const sessions: unknown[] = []
    for (const TENANT of ['a', 'b', 'a']) {
      const issuer = 'http://localhost/auth'
      const { cookie } = await mintSession({ secret: `${SECRET}a`, issuer, user: { id: 'bo' } })
      const answer = await app.request('/auth/session', { headers: { cookie } }, { TENANT })
      sessions.push(await answer.json())
    }
    expect(tenants).toEqual(['a', 'b', 'a'])
    expect(sessions[1]).toBeNull()
  })

  test('has the same sessions in later requests', async () => {
    const app = new Hono().all(
      '/auth/*',
      authHandler(() => inProcess()),
    )
    const browser = new Browser(app)
    await browser.signIn()
    const answer = await browser.go('/auth/sessions')
    expect(answer.status).toBe(200)
    expect(await answer.text()).toContain('"current":true')
  })
})

test('an option that is unknown is named once, and not by the service in the process as well', async () => {
  const warn = vi.fn()
  const config = inProcess({ logger: { warn }, adapter: {} } as object)
  const app = appWith(config)
  expect(warn.mock.calls).toEqual([['unknown-option', expect.stringContaining('option adapter')]])
  const browser = new Browser(app)
  await browser.signIn()
  await browser.go('/me')
  expect(warn).toHaveBeenCalledTimes(1)
  const made = new Hono().all(
    '/auth/*',
    authHandler(() => ({ ...config })),
  )
  for (let time = 0; time < 2; time++) await made.request('/auth/csrf')
  expect(warn).toHaveBeenCalledTimes(2)
})

test('an AUTH_URL with the base path does not count as a base path that is said twice', async () => {
  const warn = vi.fn()
  vi.stubEnv('AUTH_URL', `${ORIGIN}/auth`)
  const browser = new Browser(appWith(inProcess({ logger: { warn } })))
  await browser.signIn()
  await browser.go('/me')
  expect(warn).not.toHaveBeenCalled()
})

describe('a configuration that is found unusable at a request', () => {
  const broken = () => authHandler(() => inProcess({ secret: 'short' }))

  test('is logged, and answered with JSON, or with text if a page is asked for', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const app = new Hono().all('/auth/*', broken())
    const answer = await app.request('/auth/session')
    expect(answer.status).toBe(500)
    expect(answer.headers.get('cache-control')).toBe('private, no-store')
    const message = expect.stringContaining('not configured')
    expect(await answer.json()).toEqual({ error: 'Configuration', message })
    const page = await app.request('/auth/signin', { headers: { accept: 'text/html' } })
    expect(page.status).toBe(500)
    expect(page.headers.get('content-type')).toContain('text/plain')
    expect(log.mock.calls.flat()).toEqual([
      expect.stringContaining('32 characters'),
      expect.stringContaining('32 characters'),
    ])
    log.mockRestore()
  })

  test('goes to onError', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const app = new Hono().all('/auth/*', broken())
    app.onError((error, c) => c.text(error.name, 418))
    const answer = await app.request('/auth/session')
    expect([answer.status, await answer.text()]).toEqual([418, 'SecretError'])
    log.mockRestore()
  })
})

test('providers and a worker together are refused at the start, and so is a config without either', () => {
  // @ts-expect-error: a config has one of the two
  expect(() => authHandler({ providers: [], worker: 'https://example.com/auth' })).toThrow(
    'cannot be used together',
  )
  vi.stubEnv('AUTH_WORKER_URL', 'https://example.com/auth')
  expect(() => authHandler(inProcess())).toThrow('AUTH_WORKER_URL')
  expect(authHandler({})).toBeTypeOf('function')
  vi.stubEnv('AUTH_WORKER_URL', '')
  expect(() => authHandler({ secret: SECRET })).toThrow('authHandler needs')
})

describe('at the start', () => {
  test('with nothing set it speaks of `providers` and `worker`', () => {
    vi.stubEnv('AUTH_SECRET', undefined)
    for (const word of ['authHandler needs `providers`', '`worker`', 'AUTH_WORKER_URL']) {
      expect(() => authHandler({})).toThrow(word)
    }
    vi.unstubAllEnvs()
  })

  test('a provider without its variables is named before any request, once, and not offered', async () => {
    const said: string[] = []
    const logger = { error: ({ message }: Error) => void said.push(message), warn() {} }
    const app = appWith(inProcess({ providers: [github()], logger }))
    await vi.waitFor(() => expect(said).toHaveLength(1))
    expect(said[0]).toContain('AUTH_GITHUB_ID')
    const page = await (await app.request(`${ORIGIN}/auth/signin`)).text()
    expect(page).not.toContain('/signin/github')
    expect(said).toHaveLength(1)
  })
})

describe('forwarded', () => {
  test('to a Worker that does not know its origin, it logs that at the first request, once', async () => {
    const worker = binding({ trustHost: false })
    vi.stubGlobal('fetch', (url: string, init: RequestInit) => worker.fetch(url, init))
    const said: string[] = []
    vi.spyOn(console, 'warn').mockImplementation((line) => void said.push(String(line)))
    const app = appWith({ worker: 'https://auth.example/auth' })
    for (const path of ['session', 'signin', 'providers', 'csrf']) {
      const answer = await app.request(`${ORIGIN}/auth/${path}`)
      expect([answer.status, answer.headers.get('x-auth-app')]).toEqual([200, null])
    }
    expect(said).toHaveLength(1)
    expect(said[0]).toContain(ORIGIN)
    expect(said[0]).toContain('AUTH_TRUSTED_ORIGINS')
    const trusting = binding({ trustHost: false, trustedOrigins: [ORIGIN] })
    vi.stubGlobal('fetch', (url: string, init: RequestInit) => trusting.fetch(url, init))
    await appWith({ worker: 'https://auth.example/auth' }).request(`${ORIGIN}/auth/signin`)
    expect(said).toHaveLength(1)
  })

  test('to its URL', async () => {
    const worker = binding()
    const urls: string[] = []
    vi.stubGlobal('fetch', (url: string, init: RequestInit) => {
      urls.push(url)
      return worker.fetch(url, init)
    })
    const app = appWith({ worker: 'https://auth.example/auth' })
    expect(await callbackUrl(app, 'http://app.example/auth/providers')).toBe(
      'http://app.example/auth/callback/credentials',
    )
    expect(urls).toEqual(['https://auth.example/auth/providers'])
  })

  test('a mount at another path than the Worker’s is an error that names the mount', async () => {
    const app = new Hono().all('/login/*', authHandler({ worker: binding() }))
    app.onError((error, c) => c.text(error.message, 500))
    expect(await (await app.request('/login/csrf')).text()).toContain('mounted at /login')
  })
})

test('plain variables named like bindings break no sign-in', async () => {
  for (const name of ['SESSIONS', 'LEDGER', 'RATE_LIMIT', 'EMAIL']) vi.stubEnv(name, '100')
  const browser = new Browser(appWith(inProcess()))
  expect((await browser.signIn()).headers.get('location')).toBe(`${ORIGIN}/`)
  expect(await (await browser.go('/me')).json()).toMatchObject({ user: { name: 'ann' } })
})

test('deeply nested JSON that the app has parsed is 400, and no fault', async () => {
  const app = new Hono()
  app.use('/auth/*', async (c, next) => {
    await c.req.json()
    await next()
  })
  app.all('/auth/*', authHandler(inProcess()))
  const body = `{"data":${'['.repeat(20_000)}${']'.repeat(20_000)}}`
  const headers = { 'content-type': 'application/json' }
  const answer = await app.request(`${ORIGIN}/auth/session`, { method: 'POST', body, headers })
  expect(answer.status).toBe(400)
})
