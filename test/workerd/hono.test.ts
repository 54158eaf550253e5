import { exports } from 'cloudflare:workers'
import { authHandler, getSession, requireSession, session } from '@latchkey/hono'
import credentials from '@latchkey/hono/providers/credentials'
import type { WorkerAddress } from '@latchkey/session'
import { mintSession } from '@latchkey/session/testing'
import { Hono } from 'hono'
import { describe, expect, test } from 'vitest'
import { clock } from '../support/clock.ts'
import { bindings } from './support.ts'

/**
 * A user's own Worker, with the bindings of wrangler.toml: `authHandler` and readers of sessions.
 */
const ORIGIN = 'http://localhost:8787'
const { AUTH_SECRET } = bindings
const service = (exports as unknown as { default: WorkerAddress & object }).default

const { pass } = clock({ start: 'now' })

/** The bindings and variables of an app come with each request. */
interface Env {
  Bindings: { AUTH: WorkerAddress }
}

const providers = [
  credentials({
    credentials: { username: {}, password: { type: 'password' } },
    authorize: ({ username, password }) =>
      password === 'open sesame' ? { id: String(username), name: String(username) } : null,
  }),
]
const inProcess = () => ({ providers, logger: { error() {}, warn() {} } })

/** The readers of an app, which find the bindings by themselves. */
function withReaders(app: Hono<Env>, config: Parameters<typeof session>[0]): Hono<Env> {
  app.get('/me', session(config), (c) => c.json(c.var.session))
  app.get('/own', session(config), (c) => new Response(c.var.session?.user?.name ?? 'nobody'))
  app.get('/function', async (c) => c.json(await getSession(c, config)))
  app.get('/members', requireSession({}, config), (c) => c.text('members'))
  app.all('/payout', requireSession({ maxAge: 300 }, config), (c) => c.text('paid'))
  app.get('/keys', requireSession({ acr: '2' }, config), (c) => c.text('keys'))
  return app
}

/** A browser at a Worker that works on after its answers. */
function browserOf(app: Hono<Env>, more: object = {}) {
  const cookies = new Map<string, string>()
  const given = { ...bindings, ...more }
  const work: Promise<unknown>[] = []
  const waitUntil = (promise: Promise<unknown>) => void work.push(promise)
  const ctx = { waitUntil, passThroughOnException() {}, props: {} } as unknown as ExecutionContext
  async function go(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers)
    if (!headers.has('cookie')) {
      headers.set('cookie', [...cookies].map((pair) => pair.join('=')).join('; '))
    }
    const request = new Request(new URL(path, ORIGIN), { redirect: 'manual', ...init, headers })
    const answer = await app.fetch(request, given as never, ctx)
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (/; Max-Age=0/i.test(line)) cookies.delete(name)
      else cookies.set(name, value)
    }
    return answer
  }
  async function post(path: string, fields: Record<string, string> = {}): Promise<Response> {
    const { csrfToken } = await (await go('/auth/csrf')).json<{ csrfToken: string }>()
    return go(path, { method: 'POST', body: new URLSearchParams({ csrfToken, ...fields }) })
  }
  const settle = async () => {
    while (work.length > 0) await work.pop()
  }
  return { cookies, go, post, settle }
}

describe('in process, with sessions in its own bindings', () => {
  function start(more: object = {}) {
    const config = inProcess()
    const app = withReaders(new Hono<Env>(), config)
    app.all('/auth/*', authHandler(config))
    return browserOf(app, more)
  }

  test('a person signs in, has a session for every reader, and signs out for good', async () => {
    const browser = start()
    const fields = { username: 'ada', password: 'open sesame' }
    expect((await browser.post('/auth/callback/credentials', fields)).status).toBe(302)
    for (const path of ['/me', '/function', '/auth/session']) {
      expect(await (await browser.go(path)).json()).toMatchObject({ user: { name: 'ada' } })
    }
    expect(await (await browser.go('/members')).text()).toBe('members')
    const { keys } = await bindings.SESSIONS.list()
    expect(keys.length).toBeGreaterThan(0)
    const kept = browser.cookies.get('auth.session-token') ?? ''
    expect((await browser.post('/auth/signout')).status).toBe(302)
    await browser.settle()
    const cookie = `auth.session-token=${kept}`
    expect(await (await browser.go('/me', { headers: { cookie } })).json()).toBeNull()
    expect((await browser.go('/members', { headers: { cookie } })).status).toBe(302)
  })

  test('a token that has ended is renewed once, also beside the handler’s own Response', async () => {
    const browser = start()
    await browser.post('/auth/callback/credentials', { username: 'eve', password: 'open sesame' })
    for (const path of ['/own', '/me', '/members', '/function']) {
      pass(400)
      const answer = await browser.go(path)
      expect([path, answer.status, answer.headers.getSetCookie().length]).toEqual([path, 200, 1])
      expect(answer.headers.get('cache-control')).toBe('private, no-store')
      expect((await browser.go(path)).headers.getSetCookie()).toEqual([])
    }
    await browser.settle()
  })

  test('a sign-in is fresh for as long as maxAge says, whatever renews its token', async () => {
    const browser = start()
    const fields = { username: 'bea', password: 'open sesame' }
    await browser.post('/auth/callback/credentials', fields)
    pass(300)
    expect((await browser.go('/payout', { method: 'POST' })).status).toBe(200)
    pass(1)
    const page = await browser.go('/payout?n=1')
    expect([page.status, page.headers.get('location')]).toEqual([
      302,
      '/auth/signin?maxAge=300&callbackUrl=%2Fpayout%3Fn%3D1',
    ])
    const answer = await browser.go('/payout', { method: 'POST' })
    expect([answer.status, await answer.json()]).toEqual([
      401,
      {
        error: 'FreshSignInRequired',
        maxAge: 300,
        url: `${ORIGIN}/auth/signin?maxAge=300`,
      },
    ])
    expect(answer.headers.get('www-authenticate')).toMatch(
      /^Bearer error="insufficient_user_authentication", max_age="300"/,
    )
    expect((await browser.go('/members')).status).toBe(200)
    await browser.post('/auth/callback/credentials', fields)
    expect((await browser.go('/payout', { method: 'POST' })).status).toBe(200)
    await browser.settle()
  })

  test('a page that needs two factors opens after both', async () => {
    const browser = start()
    const given = { secret: AUTH_SECRET, issuer: `${ORIGIN}/auth` }
    for (const [amr, status] of [
      [['mfa'], 302],
      [['credentials', 'otp', 'mfa'], 200],
    ] as const) {
      const { cookie } = await mintSession({ ...given, amr })
      expect((await browser.go('/keys', { headers: { cookie } })).status).toBe(status)
    }
  })

  test('the origin of a request is the host that it was routed by, whatever its headers are', async () => {
    const browser = start({ NODE_ENV: 'production' })
    const headers = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' }
    const answer = await browser.go('https://app.example/auth/providers', { headers })
    expect(JSON.stringify(await answer.json())).toContain(
      '"https://app.example/auth/callback/credentials"',
    )
    const { cookie } = await mintSession({
      secret: AUTH_SECRET,
      issuer: 'https://evil.example/auth',
    })
    const me = await browser.go('https://app.example/me', { headers: { ...headers, cookie } })
    expect(await me.json()).toBeNull()
  })

  test('a binding that is missing is named in the log', async () => {
    const logged: string[] = []
    const logger = { error: (error: Error) => void logged.push(error.message), warn() {} }
    const config = { ...inProcess(), logger }
    const broken = new Hono<Env>().all('/auth/*', authHandler(config))
    await browserOf(broken, { LEDGER: undefined }).go('/auth/csrf')
    expect(logged).toEqual([expect.stringContaining('LEDGER')])
  })
})

describe.each([
  ['a function of the request', (c: { env: Env['Bindings'] }) => ({ worker: c.env.AUTH })],
  ['a constant', () => ({ worker: service })],
])('forwarded through a binding, by %s', (_, configOf) => {
  const app = new Hono<Env>()
  app.all('/auth/*', authHandler<Env>(configOf))
  app.get(
    '/me',
    async (c, next) => session(configOf(c))(c, next),
    (c) => c.json(c.var.session),
  )
  const isServed = { AUTH: service }

  test('the Worker answers, and its sessions are read here', async () => {
    const browser = browserOf(app, isServed)
    expect((await browser.go('/auth/csrf')).headers.getSetCookie()).toHaveLength(1)
    const issuer = `${ORIGIN}/auth`
    const user = { id: 'ada', name: 'Ada' }
    const { cookie } = await mintSession({ secret: AUTH_SECRET, issuer, user })
    const me = await browser.go('/me', { headers: { cookie } })
    expect(await me.json()).toMatchObject({ user: { name: 'Ada' } })
    expect((await browser.go('/auth/nothing')).status).toBe(404)
    expect((await browser.go('/auth/csrf', { method: 'PUT' })).status).toBe(405)
    await browser.settle()
  })
})

describe('readers without a configuration', () => {
  test('find the secret in the bindings of the request', async () => {
    const app = withReaders(new Hono<Env>(), undefined)
    const issuer = `${ORIGIN}/auth`
    const user = { id: 'ada', name: 'Ada' }
    const { cookie } = await mintSession({ secret: AUTH_SECRET, issuer, user })
    const me = await browserOf(app).go('/me', { headers: { cookie } })
    expect(await me.json()).toMatchObject({ user: { name: 'Ada' } })
  })
})
