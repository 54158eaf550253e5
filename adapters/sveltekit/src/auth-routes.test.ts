import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { authorizationServer } from '@latchkey/worker/features/authorization-server'
import github from '@latchkey/worker/providers/github'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ComponentKitAuth } from './component-kit-auth.js'
import { ada, config, type Options, ORIGIN, SECRET, TestApp, testWorker } from './test-app.js'

const inProcess = () => new TestApp(ComponentKitAuth(config))
const forwarded = (worker = testWorker()) =>
  new TestApp(ComponentKitAuth({ worker, logger: { error() {}, warn() {} }, secret: SECRET }))

describe.each([
  ['in process', inProcess],
  ['forwarded', forwarded],
])('the auth routes, %s,', (_, create) => {
  test('are answered', async () => {
    const app = create()
    const response = await app.visit('/auth/providers')
    expect(await response.json()).toEqual({
      credentials: {
        id: 'credentials',
        name: 'Credentials',
        type: 'credentials',
        signinUrl: `${ORIGIN}/auth/signin/credentials`,
        callbackUrl: `${ORIGIN}/auth/callback/credentials`,
      },
    })
    expect(app.wasResolved).toBe(false)
  })

  test('have the metadata of the authorization server at the root too, and the app has all else there', async () => {
    const features = [
      authorizationServer({ apps: { spa: { redirectUris: ['https://spa.example.com/cb'] } } }),
    ]
    const app =
      create === inProcess
        ? new TestApp(ComponentKitAuth({ ...config, features }))
        : forwarded(testWorker({ features }))
    const below = await (await app.visit('/auth/.well-known/openid-configuration')).text()
    expect(JSON.parse(below)).toMatchObject({ issuer: `${ORIGIN}/auth` })
    for (const name of ['openid-configuration', 'oauth-authorization-server']) {
      const answer = await app.visit(`/.well-known/${name}/auth`)
      expect([await answer.text(), app.wasResolved]).toEqual([below, false])
    }
    for (const path of ['/.well-known/openid-configuration', '/.well-known/security.txt']) {
      await app.visit(path)
      expect(app.wasResolved).toBe(true)
    }
    const without = create()
    await without.visit('/.well-known/openid-configuration/auth')
    expect(without.wasResolved).toBe(true)
  })

  test('speak the language of the browser, of ui_locales, and then of the cookie', async () => {
    const app = create()
    const languageOf = async (path: string, headers: HeadersInit) => {
      const response = await app.visit(path, undefined, { headers })
      return /<html lang="([^"]*)"/.exec(await response.text())?.[1]
    }
    const english = { 'accept-language': 'en' }
    expect(await languageOf('/auth/signin', { 'accept-language': 'de-AT' })).toBe('de')
    expect(await languageOf('/auth/signin?ui_locales=de', english)).toBe('de')
    expect(await languageOf('/auth/signin', english)).toBe('de')
  })

  test('sign in and out, with each cookie in a line of its own', async () => {
    const app = create()
    const { csrfToken } = (await (await app.visit('/auth/csrf')).json()) as { csrfToken: string }
    const post = (path: string, fields: object) =>
      app.visit(path, undefined, {
        method: 'POST',
        body: new URLSearchParams({ csrfToken, ...fields }),
        headers: { origin: ORIGIN },
      })
    const fields = { username: 'ada', password: 'lovelace', callbackUrl: '/inbox' }
    const response = await post('/auth/callback/credentials', fields)
    expect([response.status, response.headers.get('location')]).toEqual([302, `${ORIGIN}/inbox`])
    const lines = response.headers.getSetCookie()
    expect(lines.map((line) => line.split('=')[0]).toSorted()).toEqual([
      'auth.csrf-token',
      'auth.device',
      'auth.session-token',
    ])
    expect(await app.who()).toBe('Ada')
  })

  test.each([
    '/auth',
    '/auth/',
    '/auth/session/',
    '/auth/profile',
    '/auth/signin/a/b',
    '/authentic/session',
    '/x/auth/session',
    '/AUTH/session',
    '/auth//session',
    '/signin',
    '/auth/callback/a%2Fb',
  ])('leave %s to the app', async (path) => {
    const app = create()
    await app.visit(path)
    expect(app.wasResolved).toBe(true)
  })

  test('leave the body of the app’s own routes unread', async () => {
    const app = create()
    const body = new URLSearchParams({ a: 'b' })
    const page = async ({ request }: { request: Request }) => await request.text()
    const response = await app.visit('/auth/profile', page, { method: 'POST', body })
    expect(await response.json()).toBe('a=b')
  })

  test('are not answered for data and remote requests: the client only claims their path', async () => {
    for (const options of [{ isDataRequest: true }, { isRemoteRequest: true }]) {
      const app = create()
      await app.visit('/auth/session', undefined, {}, options)
      expect(app.wasResolved).toBe(true)
    }
  })

  test('refuse a body that never ends with 413, and the connection stays open for the answer', async () => {
    const app = create()
    const cancel = vi.fn()
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(16_384).fill(97)),
      cancel,
    })
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const init = { method: 'POST', body: endless, headers, duplex: 'half' } as RequestInit
    expect((await app.visit('/auth/callback/credentials', undefined, init)).status).toBe(413)
    expect(cancel).not.toHaveBeenCalled()
  })

  test('answer HEAD and refuse other methods as the service does', async () => {
    const app = create()
    expect((await app.visit('/auth/session', undefined, { method: 'HEAD' })).status).toBe(200)
    const response = await app.visit('/auth/session', undefined, { method: 'DELETE' })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST'])
  })
})

test('a configured basePath replaces /auth', async () => {
  const app = new TestApp(ComponentKitAuth({ ...config, basePath: '/login/api/' }))
  const providers = await (await app.visit('/login/api/providers')).json()
  expect(providers).toMatchObject({
    credentials: { signinUrl: `${ORIGIN}/login/api/signin/credentials` },
  })
  await app.visit('/auth/providers')
  expect(app.wasResolved).toBe(true)
})

test('the code of the service is imported at first use, so an app that forwards never loads it', async () => {
  const source = await import('node:fs').then(({ readFileSync }) =>
    readFileSync(new URL('./component-kit-auth.ts', import.meta.url), 'utf8'),
  )
  expect(source).toContain(" import('@latchkey/worker')")
  expect(source).not.toMatch(/^import \{[^}]*\} from '@latchkey\/worker/m)
})

describe('a forwarded request', () => {
  test('has the app’s host and the client’s address in headers that the client cannot set', async () => {
    const worker = testWorker()
    const app = forwarded(worker)
    await app.visit('/auth/csrf?x=1', undefined, {
      headers: {
        forwarded: 'host=evil.example',
        'x-forwarded-host': 'evil.example',
        'x-forwarded-for': '203.0.113.9',
        'x-real-ip': '203.0.113.9',
        'cf-connecting-ip': '203.0.113.9',
        'x-http-method-override': 'DELETE',
        'user-agent': 'a browser',
        'accept-encoding': 'br',
      },
    })
    const [request] = worker.requests
    expect(request?.url).toBe(`${ORIGIN}/auth/csrf?x=1`)
    expect(Object.fromEntries(request?.headers ?? [])).toEqual({
      'accept-encoding': 'identity',
      'cf-connecting-ip': '192.0.2.7',
      'user-agent': 'a browser',
      'x-forwarded-for': '192.0.2.7',
      'x-forwarded-host': 'localhost:5173',
      'x-forwarded-proto': 'http',
    })
  })

  test.each(['/auth/session', '/auth/signin'])(
    'to a Worker that does not know the app’s origin: the app logs that once, first at %s',
    async (first) => {
      const worker = testWorker({ trustedOrigins: [] })
      vi.stubGlobal('fetch', (url: string, init: RequestInit) => worker.fetch(url, init))
      const said: string[] = []
      vi.spyOn(console, 'warn').mockImplementation((line) => void said.push(String(line)))
      const app = new TestApp(ComponentKitAuth({ worker: 'https://auth.example/auth' }))
      for (const path of [first, '/auth/signin', '/auth/csrf', '/auth/signin']) {
        const answer = await app.visit(path)
        expect([answer.status, answer.headers.get('x-auth-app')]).toEqual([200, null])
      }
      expect(said).toHaveLength(1)
      expect(said[0]).toContain(ORIGIN)
      expect(said[0]).toContain('AUTH_TRUSTED_ORIGINS')
      vi.unstubAllGlobals()
    },
  )

  test('keeps each cookie and the status, and follows no redirect', async () => {
    const answer = new Response(null, {
      status: 302,
      headers: { location: 'https://idp.example/' },
    })
    answer.headers.append('set-cookie', 'a=1; Expires=Sat, 21 Nov 2026 00:00:00 GMT; Path=/')
    answer.headers.append('set-cookie', 'b=2; Path=/')
    answer.headers.append('keep-alive', 'timeout=5')
    const fetching = vi.fn(async (_url: string, _init?: RequestInit) => answer)
    const app = new TestApp(ComponentKitAuth({ worker: { fetch: fetching }, secret: SECRET }))
    const response = await app.visit('/auth/callback/github?code=x&state=y')
    expect([response.status, response.headers.get('location')]).toEqual([
      302,
      'https://idp.example/',
    ])
    expect(response.headers.getSetCookie()).toEqual([
      'a=1; Expires=Sat, 21 Nov 2026 00:00:00 GMT; Path=/',
      'b=2; Path=/',
    ])
    expect(response.headers.has('keep-alive')).toBe(false)
    expect(fetching.mock.calls[0]?.[1]).toMatchObject({ redirect: 'manual' })
  })

  test('does not include a path that only looks like a route: the app would lose its body', async () => {
    const worker = testWorker()
    const app = forwarded(worker)
    const init = { method: 'POST', body: new URLSearchParams({ a: 'b' }) }
    for (const path of ['/auth/callback/a%2Fb', '/auth/signin/', '/x/signin/github', '/auth/x']) {
      const page = async ({ request }: { request: Request }) => await request.text()
      expect(await (await app.visit(path, page, init)).json()).toBe('a=b')
    }
    expect(worker.requests).toEqual([])
  })

  test('goes to the app when the Worker answers 404', async () => {
    const worker = { fetch: async () => new Response('Not found', { status: 404 }) }
    const app = new TestApp(ComponentKitAuth({ worker, secret: SECRET }))
    await app.visit('/auth/account')
    expect(app.wasResolved).toBe(true)
  })

  test('fails at the first request when the Worker has another base path', async () => {
    const app = new TestApp(
      ComponentKitAuth({ worker: 'https://auth.example/api', basePath: '/auth' }),
    )
    const said = vi.spyOn(console, 'error').mockImplementation(() => {})
    expect((await app.visit('/auth/session')).status).toBe(500)
    expect(String(said.mock.lastCall)).toMatch(/The Worker's base path is \/api/)
    said.mockRestore()
  })
})

describe('over a network', () => {
  let server: Server | undefined
  afterEach(() => server?.close())

  test('the Worker signs in, and compressed answers arrive decoded', async () => {
    const worker = testWorker()
    server = createServer((req, res) => {
      const chunks: Buffer[] = []
      req.on('data', (chunk: Buffer) => chunks.push(chunk))
      req.on('end', async () => {
        const { method = 'GET' } = req
        const headers = new Headers(req.headers as Record<string, string>)
        const body = method === 'GET' ? null : Buffer.concat(chunks)
        const answer = await worker.fetch(`http://${req.headers.host}${req.url}`, {
          method,
          headers,
          body,
        })
        res.writeHead(answer.status, [...answer.headers].flat())
        res.end(Buffer.from(await answer.arrayBuffer()))
      })
    })
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    // The app has no secret and uses the keys that the Worker publishes.
    const app = new TestApp(ComponentKitAuth({ worker: `http://127.0.0.1:${port}/auth` }))
    expect((await app.signIn()).headers.get('location')).toBe(`${ORIGIN}/`)
    expect(await app.who()).toBe('Ada')
    const page = await app.visit('/auth/signin')
    expect(await page.text()).toContain('<form')
    await app.submit(app.auth.signOut, {})
    expect(await app.who()).toBe(null)
  })
})

describe('the app’s origin', () => {
  const callback = async (
    source: Parameters<typeof ComponentKitAuth>[0],
    { origin = 'http://app.example', headers = {}, env = {}, platform = {} } = {},
  ) => {
    const app = new TestApp(ComponentKitAuth(source))
    const given = { env, ...platform }
    const response = await app.visit(
      '/auth/providers',
      undefined,
      { headers },
      { origin, platform: given },
    )
    if (response.status !== 200) return response.status
    const found = (await response.json()) as Record<string, { callbackUrl: string }>
    return Object.values(found)[0]?.callbackUrl.replace(/\/auth.*/, '')
  }
  const proxy = { 'x-forwarded-host': 'public.example', 'x-forwarded-proto': 'https' }

  test.each([
    ['a Host that any client can send is refused: host header poisoning', {}, 400],
    [
      'a proxy’s headers are refused too, because any client can send them',
      { headers: proxy },
      400,
    ],
    [
      'AUTH_URL wins',
      { env: { AUTH_URL: 'https://real.example' }, headers: proxy },
      'https://real.example',
    ],
    [
      'AUTH_URL wins over trust',
      { env: { AUTH_URL: 'https://real.example', AUTH_TRUST_HOST: '1' }, headers: proxy },
      'https://real.example',
    ],
    [
      'AUTH_TRUST_HOST believes the Host',
      { env: { AUTH_TRUST_HOST: 'true' } },
      'http://app.example',
    ],
    [
      'AUTH_TRUST_HOST believes the proxy',
      { env: { AUTH_TRUST_HOST: 'true' }, headers: proxy },
      'https://public.example',
    ],
    [
      'AUTH_TRUSTED_ORIGINS names the proxy’s',
      { env: { AUTH_TRUSTED_ORIGINS: 'https://public.example' }, headers: proxy },
      'https://public.example',
    ],
    [
      'AUTH_TRUSTED_ORIGINS names another',
      { env: { AUTH_TRUSTED_ORIGINS: 'https://other.example' }, headers: proxy },
      400,
    ],
    [
      'AUTH_TRUSTED_ORIGINS names the Host',
      { env: { AUTH_TRUSTED_ORIGINS: 'http://app.example' } },
      'http://app.example',
    ],
    [
      'ORIGIN of adapter-node is the app’s',
      { env: { ORIGIN: 'http://app.example' } },
      'http://app.example',
    ],
    ['ORIGIN vouches for itself alone', { env: { ORIGIN: 'http://other.example' } }, 400],
    ['this machine is known', { origin: 'http://localhost:4173' }, 'http://localhost:4173'],
    ['a name that only begins so is not', { origin: 'http://localhost.evil.example' }, 400],
    ['development takes any', { env: { NODE_ENV: 'development' } }, 'http://app.example'],
    [
      'AUTH_TRUST_HOST=false in development',
      { env: { NODE_ENV: 'development', AUTH_TRUST_HOST: 'false' } },
      400,
    ],
    [
      'Cloudflare routes by the host',
      { platform: { ctx: { waitUntil() {} } } },
      'http://app.example',
    ],
    [
      'a malformed proxy is refused',
      { env: { AUTH_TRUST_HOST: '1' }, headers: { 'x-forwarded-host': 'a b' } },
      400,
    ],
  ])('%s', async (_, options, expected) => {
    expect(await callback(config, options)).toBe(expected)
  })

  test.each([
    ['without bindings', { context: { waitUntil() {} } }],
    ['without waitUntil', { env: {}, ctx: {} }],
  ])('a platform %s is not Cloudflare: host header poisoning', async (_, platform) => {
    const app = new TestApp(ComponentKitAuth(config))
    const options = { origin: 'http://app.example', platform }
    expect((await app.visit('/auth/providers', undefined, {}, options)).status).toBe(400)
  })

  test('trustHost in the config says the same', async () => {
    expect(await callback({ ...config, trustHost: true })).toBe('http://app.example')
  })

  test('actions are refused as the routes are, and the reason is logged once', async () => {
    const warn = vi.fn()
    const app = new TestApp(ComponentKitAuth({ ...config, logger: { warn } }))
    const options = { origin: 'http://evil.example' }
    expect((await app.signIn(options)).status).toBe(400)
    expect(warn).toHaveBeenCalledOnce()
    expect((await app.visit('/auth/csrf', undefined, {}, options)).status).toBe(400)
    expect(warn).toHaveBeenCalledOnce()
    expect(app.cookies.size).toBe(0)
  })
})

describe('an app that is asked over http and believes in https, since ORIGIN is not set', () => {
  const origin = 'https://localhost:3000'
  const warn = vi.fn()
  beforeEach(() => warn.mockClear())
  const create = () => new TestApp(ComponentKitAuth({ ...config, logger: { error() {}, warn } }))
  const onNode = { origin, platform: { req: { socket: {} } } }

  test('says so once, in the terminal, when the sign-in page is asked for', async () => {
    const app = create()
    for (let count = 0; count < 2; count++) {
      expect((await app.visit('/auth/signin', undefined, {}, onNode)).status).toBe(200)
      expect(warn).toHaveBeenCalledOnce()
    }
    expect(warn).toHaveBeenCalledWith('guessed-https', expect.stringMatching(/403 .*Set ORIGIN/))
  })

  test.each([
    ['for a page', { path: '/', ...onNode }],
    ['over TLS', { origin, platform: { req: { socket: { encrypted: true } } } }],
    ['behind a proxy of https', { ...onNode, headers: { 'x-forwarded-proto': 'https' } }],
    ['if ORIGIN is set', { origin, platform: { req: { socket: {} }, env: { ORIGIN: origin } } }],
    ['if Kit knows that it is http', { platform: onNode.platform }],
    ['elsewhere than on this machine', { ...onNode, origin: 'https://app.example.com' }],
    ['on another platform', { origin }],
  ])('says nothing %s', async (_, options: Options & { path?: string; headers?: HeadersInit }) => {
    const { path = '/auth/signin', headers = {} } = options
    await create().visit(path, undefined, { headers }, options)
    expect(warn.mock.calls.filter(([code]) => code === 'guessed-https')).toEqual([])
  })
})

describe('an untrusted TLS proxy', () => {
  const proxied = { headers: { 'x-forwarded-proto': 'https' } }
  const platform = (env: object) => ({ platform: { env } })
  const codes: string[] = []
  const logger = { error() {}, warn: (code: string) => void codes.push(code) }
  beforeEach(() => void codes.splice(0))
  // Each request has a new configuration, as on Cloudflare.
  const create = () => new TestApp(ComponentKitAuth(async () => ({ ...config, logger })))
  const route = (app: TestApp) => app.visit('/auth/csrf', undefined, proxied)
  const action = (app: TestApp) => app.submit(app.auth.signOut, {}, proxied)

  test.each([
    ['a route', route],
    ['an action', action],
  ])('is warned of once, by %s', async (_, ask) => {
    const app = create()
    for (let count = 0; count < 2; count++) {
      await ask(app)
      expect(codes).toEqual(['untrusted-proxy'])
    }
  })

  test('gives no warning for a page, with AUTH_URL, or if the proxy is trusted', async () => {
    const app = create()
    await app.visit('/auth/csrf')
    await app.visit('/', undefined, proxied)
    for (const env of [
      { AUTH_URL: ORIGIN.replace('http:', 'https:') },
      { AUTH_TRUST_HOST: 'true' },
    ]) {
      await app.visit('/auth/csrf', undefined, proxied, platform(env))
    }
    expect(codes).toEqual([])
  })
})

test('signing in with an OAuth provider redirects to its page and back to the app', async () => {
  const app = new TestApp(
    ComponentKitAuth({
      ...config,
      providers: [github({ clientId: 'id', clientSecret: 'secret' }), ada],
    }),
  )
  const response = await app.submit(app.auth.signIn, {
    providerId: 'github',
    redirectTo: '/inbox',
    'authorizationParams-login': 'ada',
    'authorizationParams-state': 'chosen-by-an-attacker',
  })
  const url = new URL(response.headers.get('location') ?? '')
  expect([response.status, url.origin]).toEqual([303, 'https://github.com'])
  expect(url.searchParams.get('redirect_uri')).toBe(`${ORIGIN}/auth/callback/github`)
  expect(url.searchParams.get('login')).toBe('ada')
  expect(url.searchParams.get('state')).not.toBe('chosen-by-an-attacker')
  expect([...app.cookies.keys()].some((name) => name.startsWith('auth.flow.'))).toBe(true)
  const failed = await app.visit(
    `/auth/callback/github?error=access_denied&state=${url.searchParams.get('state')}`,
  )
  expect(failed.headers.get('location')).toContain('error=OAuthCallbackError')
})
