import { MiddlewareAuth, type MiddlewareAuthConfig, requireSession } from '@latchkey/express'
import { AuthError } from '@latchkey/session'
import { type MintOptions, mintSession } from '@latchkey/session/testing'
import type { Express, Request, Response } from 'express5'
import { afterEach, describe, expect, test, vi } from 'vitest'
import {
  cookieOf,
  form,
  inProcess,
  listen,
  modes,
  type Running,
  SECRET,
  signIn,
  startService,
  versions,
} from '../express/support.ts'
import { clock } from '../support/clock.ts'

/** `requireSession({ maxAge, acr })` on real sockets, with a clock that stands still. */
const cases = versions.flatMap((version) => modes.map((mode) => ({ ...version, mode })))
const NOW = Math.floor(Date.now() / 1000)
const stops: (() => Promise<void>)[] = []
const { pass } = clock({ start: NOW * 1000 })
afterEach(async () => {
  vi.unstubAllEnvs()
  for (const stop of stops.splice(0)) await stop()
})

type Build = (app: Express) => void

async function startWith(express: () => Express, build: Build): Promise<Running> {
  const app = express()
  build(app)
  const running = await listen(app)
  stops.push(running.stop)
  return running
}

/** The session that a cookie is of. */
function sidOf(cookie: string): unknown {
  const token = /session-token=([^;]+)/.exec(cookie)?.[1] ?? ''
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).sid
}

/** The cookie of a sign-in of this age, in seconds. */
async function cookieBefore(
  app: Running,
  age: number,
  more: Partial<MintOptions> = {},
): Promise<string> {
  const issuer = `${app.url}/auth`
  return (await mintSession({ secret: SECRET, issuer, authTime: NOW - age, ...more })).cookie
}

describe.each(cases)('$name, $mode.name', ({ express, wildcard, mode }) => {
  async function start() {
    const { config, stop } = await mode.start()
    stops.push(stop)
    const transfers: string[] = []
    const app = await startWith(express, (app) => {
      app.use(`/auth${wildcard}`, MiddlewareAuth(config))
      app.use('/pay', requireSession({ maxAge: 300, redirectTo: '/login' }, config))
      app.get('/pay', (_req, res: Response) => void res.send('pay'))
      app.post('/pay', (req: Request, res: Response) => {
        transfers.push(req.url)
        res.send('paid')
      })
      app.get('/strong', requireSession({ acr: '2' }, config), (_req, res: Response) => {
        res.send('strong')
      })
      app.get('/any', requireSession({}, config), (_req, res: Response) => void res.send('any'))
    })
    return { app, transfers }
  }

  test.each([
    ['of now', 0, 200],
    ['of exactly maxAge', 300, 200],
    ['one second too old', 301, 302],
  ])('a session %s', async (_, age, status) => {
    const { app } = await start()
    const headers = { cookie: await cookieBefore(app, age) }
    for (const method of ['GET', 'HEAD']) {
      const answer = await app.ask('/pay?to=bo&n=1', { method, headers })
      expect([answer.status, answer.headers.location]).toEqual([
        status,
        status === 200 ? undefined : '/auth/signin?maxAge=300&callbackUrl=%2Fpay%3Fto%3Dbo%26n%3D1',
      ])
      expect(answer.headers['cache-control']).toBe('private, no-store')
    }
    expect((await app.ask('/any', { headers })).status).toBe(200)
  })

  test.each([
    [['credentials'], 302],
    [['credentials', 'otp', 'mfa'], 200],
    [['passkey', 'swk', 'user'], 200],
    [['mfa'], 302],
    [['passkey'], 302],
    [['github', 'passkey', 'user'], 302],
  ])('by the methods %j', async (amr, status) => {
    const { app } = await start()
    const headers = { cookie: await cookieBefore(app, 0, { amr }) }
    const answer = await app.ask('/strong', { headers })
    expect(answer.status).toBe(status)
    if (status !== 302) return
    expect(answer.headers.location).toBe('/auth/signin?acr=2&callbackUrl=%2Fstrong')
  })

  test('a POST that is not fresh is never run and never repeated', async () => {
    const { app, transfers } = await start()
    const cookie = await cookieBefore(app, 301)
    const headers = { cookie, referer: `${app.url}/pay?to=bo`, accept: 'text/html' }
    const answer = await app.ask('/pay', { method: 'POST', headers, body: 'to=bo' })
    expect([answer.status, answer.headers.location]).toEqual([401, undefined])
    expect(answer.headers['www-authenticate']).toBe(
      'Bearer error="insufficient_user_authentication", max_age="300", error_description="More recent authentication is required"',
    )
    expect(JSON.parse(answer.text)).toEqual({
      error: 'FreshSignInRequired',
      maxAge: 300,
      url: `${app.url}/auth/signin?maxAge=300&callbackUrl=%2Fpay%3Fto%3Dbo`,
    })
    expect(transfers).toEqual([])
  })

  test.each([
    { headers: { accept: 'application/json' } },
    { headers: { 'x-requested-with': 'XMLHttpRequest' } },
    { headers: { 'sec-fetch-dest': 'empty' } },
    { method: 'HEAD', headers: { accept: 'application/json' } },
    { method: 'PUT', headers: {} },
  ])('any other client gets the needs of the route: %j', async ({ headers, ...rest }) => {
    const { app } = await start()
    const cookie = await cookieBefore(app, 301)
    const answer = await app.ask('/pay', { ...rest, headers: { ...headers, cookie } })
    expect(answer.status).toBe(401)
    expect(answer.headers['www-authenticate']).toContain('insufficient_user_authentication')
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
    if (rest.method === 'HEAD') return
    const url = `${app.url}/auth/signin?maxAge=300`
    expect(JSON.parse(answer.text)).toEqual({ error: 'FreshSignInRequired', maxAge: 300, url })
  })

  test('a request without a session goes to redirectTo, and gets SessionRequired', async () => {
    const { app } = await start()
    expect((await app.ask('/pay')).headers.location).toBe('/login?callbackUrl=%2Fpay')
    const post = await app.ask('/pay', { method: 'POST' })
    expect([post.status, post.text]).toEqual([401, '{"error":"SessionRequired"}'])
    expect(post.headers['www-authenticate']).toBeUndefined()
  })

  test('a renewed token is as old as its sign-in, and a new sign-in is fresh', async () => {
    const { app } = await start()
    const { cookie } = await signIn(app)
    expect((await app.ask('/pay', { headers: { cookie } })).status).toBe(200)
    pass(301)
    const old = await app.ask('/pay', { headers: { cookie } })
    expect([old.status, old.headers.location]).toEqual([
      302,
      '/auth/signin?maxAge=300&callbackUrl=%2Fpay',
    ])
    // The token has ended too: its renewal came with the redirect.
    const renewed = cookieOf(old)
    expect(renewed).toContain('session-token')
    expect((await app.ask('/pay', { headers: { cookie: renewed } })).status).toBe(302)
    const again = await signIn(app)
    expect((await app.ask('/pay', { headers: { cookie: again.cookie } })).status).toBe(200)
  })

  test('a proof makes the same session fresh, and no copy of its cookie from before', async () => {
    const { app } = await start()
    const { cookie: copy } = await signIn(app)
    pass(301)
    const asked = await app.ask('/auth/csrf', { headers: { cookie: copy } })
    const { csrfToken } = JSON.parse(asked.text) as { csrfToken: string }
    const person = { username: 'ann', password: 'right' }
    const sent = form({ csrfToken, ...person, maxAge: '300', callbackUrl: '/pay?n=1' })
    const headers = { ...sent.headers, cookie: copy }
    const proof = await app.ask('/auth/callback/credentials', { ...sent, headers })
    expect(proof.headers.location).toBe(`${app.url}/pay?n=1`)
    const owner = cookieOf(proof)
    expect(sidOf(owner)).toBe(sidOf(copy))
    const pay = async (cookie: string) => {
      const answer = await app.ask('/pay', { method: 'POST', headers: { cookie } })
      return [answer.status, cookieOf(answer)] as const
    }
    expect(await pay(owner)).toEqual([200, ''])
    expect((await pay(copy))[0]).toBe(401)
    // Both tokens have ended by then, and both are renewed at the same time.
    pass(300)
    const [[ofOwner, newer], [ofCopy, copied]] = await Promise.all([pay(owner), pay(copy)])
    expect([ofOwner, ofCopy]).toEqual([200, 401])
    expect([newer, copied].map(sidOf)).toEqual([sidOf(copy), sidOf(copy)])
    expect((await pay(newer))[0]).toBe(200)
    expect((await pay(copied))[0]).toBe(401)
    pass(1)
    expect((await pay(newer))[0]).toBe(401)
  })

  test.each(['//evil.example/pay', '/\\evil.example/pay', 'http://evil.example/pay'])(
    'the sign-in does not lead to %s',
    async (path) => {
      const { config, stop } = await mode.start()
      stops.push(stop)
      const app = await startWith(express, (app) => {
        app.use('/auth', MiddlewareAuth(config))
        app.use(requireSession({ maxAge: 300 }, config))
      })
      const headers = { cookie: await cookieBefore(app, 301) }
      const answer = await app.ask(path, { headers })
      expect([answer.status, answer.headers.location]).toEqual([
        302,
        '/auth/signin?maxAge=300&callbackUrl=%2F',
      ])
    },
  )
})

describe.each(versions)('the sign-in page is the service’s, $name', ({ express, wildcard }) => {
  const guard = (config?: MiddlewareAuthConfig) => requireSession({ maxAge: 300 }, config)
  const ok = (_req: Request, res: Response) => void res.send('ok')

  test.each([
    ['at a mount', '/login', '/pay', (app: Express) => app.use(`/login${wildcard}`, at())],
    ['at the root', '/auth', '/pay', (app: Express) => app.use(at())],
    [
      'a router in a router',
      '/app/id',
      '/pay',
      (app: Express) => {
        const router = express.Router()
        router.use('/id', at())
        app.use('/app', router)
      },
    ],
    [
      'where basePath says',
      '/behind/a/proxy',
      '/pay',
      (app: Express) => app.use('/proxy', at({ basePath: '/behind/a/proxy' })),
    ],
  ])('%s', async (name, base, path, mount) => {
    const app = await startWith(express, (app) => {
      mount(app)
      app.get(path, guard(config), ok)
    })
    const headers = { cookie: await cookieBefore(app, 301, { issuer: app.url + base }) }
    const answer = await app.ask(path, { headers })
    // The longer base path is the browser's: the proxy in between has taken its beginning off.
    const before = name === 'where basePath says' ? '%2Fbehind%2Fa' : ''
    expect(answer.headers.location).toBe(`${base}/signin?maxAge=300&callbackUrl=${before}%2Fpay`)
  })

  let config: MiddlewareAuthConfig
  function at(more: object = {}) {
    config = inProcess(more)
    return MiddlewareAuth(config)
  }

  test('a guard in a sub-app, with the whole path to come back to', async () => {
    const own = inProcess()
    const app = await startWith(express, (app) => {
      const members = express()
      members.get('/pay', guard(own), ok)
      app.use('/auth', MiddlewareAuth(own))
      app.use('/members', members)
    })
    const headers = { cookie: await cookieBefore(app, 301) }
    const answer = await app.ask('/members/pay?n=1', { headers })
    expect(answer.headers.location).toBe(
      '/auth/signin?maxAge=300&callbackUrl=%2Fmembers%2Fpay%3Fn%3D1',
    )
  })

  test('at the path of AUTH_URL, also without a configuration', async () => {
    vi.stubEnv('AUTH_URL', 'https://app.example/sign/in')
    vi.stubEnv('AUTH_SECRET', SECRET)
    const app = await startWith(express, (app) => {
      app.use('/sign/in', MiddlewareAuth(inProcess({ logger: { error() {} } })))
      app.get('/pay', guard(), ok)
      app.post('/pay', guard(), ok)
    })
    const issuer = 'https://app.example/sign/in'
    const cookie = await cookieBefore(app, 301, { issuer })
    const answer = await app.ask('/pay', { headers: { cookie } })
    expect(answer.headers.location).toBe('/sign/in/signin?maxAge=300&callbackUrl=%2Fpay')
    const headers = { cookie, referer: 'https://app.example/pay' }
    const post = await app.ask('/pay', { method: 'POST', headers })
    const url = 'https://app.example/sign/in/signin?maxAge=300&callbackUrl=%2Fpay'
    expect(JSON.parse(post.text)).toMatchObject({ url })
  })

  test('by the Worker that the app forwards to', async () => {
    const service = await startService({ basePath: '/id' })
    stops.push(service.stop)
    const own = { worker: `${service.url}/id`, logger: { error() {}, warn() {} } }
    const app = await startWith(express, (app) => {
      app.use('/id', MiddlewareAuth(own))
      app.get('/pay', guard(own), ok)
    })
    const headers = { cookie: await cookieBefore(app, 301, { issuer: `${app.url}/id` }) }
    const answer = await app.ask('/pay', { headers })
    expect(answer.headers.location).toBe('/id/signin?maxAge=300&callbackUrl=%2Fpay')
  })
})

test.each([
  [{ maxAge: -1 }, '`maxAge`'],
  [{ maxAge: 0.5 }, '`maxAge`'],
  [{ acr: 2 }, '`acr`'],
  [{ acr: '3' }, '`acr`'],
  [{ maxage: 300 }, '`maxage`'],
])('%j is refused when the middleware is made', (options, named) => {
  expect(() => requireSession(options as object)).toThrow(named)
  expect(() => requireSession(options as object)).toThrow(AuthError)
})
