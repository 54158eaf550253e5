import { mintSession } from '@latchkey/session/testing'
import type { AuthConfig } from '@latchkey/worker'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  type Adapter,
  type App,
  BASE,
  Browser,
  binding,
  bound,
  type Config,
  inProcess,
  NAME,
  ORIGIN,
  ofSession,
  over,
  SECRET,
  silent,
} from './app.ts'
import { deviceContract } from './device-bound.ts'
import { featuresContract } from './features.ts'

const HTML = { accept: 'text/html' }
const JSON_PLEASE = { accept: 'application/json' }
const PRIVATE = 'private, no-store'
const issuer = ORIGIN + BASE
const user = { id: 'bo', name: 'Bo' }
const right = { username: 'ann', password: 'right' }

const modes: readonly (readonly [name: string, config: () => Config])[] = [
  ['in process', () => inProcess()],
  ['bound', () => bound()],
]

/** Tests of an app with any adapter, which answers its auth routes in process or forwards them to a Worker. */
export function adapterContract(name: string, adapter: Adapter): void {
  beforeEach(() => void vi.stubEnv('NODE_ENV', 'production'))
  afterEach(async () => {
    vi.unstubAllEnvs()
    vi.useRealTimers()
    await adapter.stop?.()
  })

  featuresContract(name, adapter)
  deviceContract(name, adapter)

  const open = async (config: Config) => new Browser(await adapter.start(config))
  const cookieOf = async (more: object = {}) =>
    (await mintSession({ secret: SECRET, issuer, user, ...more })).cookie

  async function signedIn(config: Config): Promise<Browser> {
    const browser = await open(config)
    await browser.signIn()
    expect(await browser.who()).toBe('ann')
    return browser
  }

  describe.each(modes)(`${name}, %s: fresh claims`, (mode) => {
    test('a role that is taken away is gone within 15 seconds, also from a copy of the cookie, and nobody is signed out', async () => {
      vi.useFakeTimers({ toFake: ['Date'] })
      const names = new Map<string, string>()
      const callbacks: AuthConfig['callbacks'] = {
        session({ session, token }) {
          const given = names.get(String(token.name)) ?? session.user?.name ?? null
          return { ...session, user: { ...session.user, name: given } }
        },
      }
      const asked: string[] = []
      const config =
        mode === 'bound' ? over(binding({ callbacks }, asked).fetch) : inProcess({ callbacks })
      const browser = await signedIn(config)
      const { cookie } = browser
      vi.setSystemTime(Date.now() + 2_000)
      names.set('ann', 'demoted')
      const body = JSON.stringify({ csrfToken: await browser.csrfToken(), refresh: true })
      const headers = { 'content-type': 'application/json' }
      await browser.go(`${BASE}/session`, { method: 'POST', headers, body })
      expect(await browser.who()).toBe('demoted')
      if (mode === 'bound') vi.setSystemTime(Date.now() + 15_000)
      asked.length = 0
      // Twice at once: one call.
      expect(await Promise.all([1, 2].map(() => browser.who({ cookie })))).toEqual([
        'demoted',
        'demoted',
      ])
      if (mode === 'bound')
        expect(asked.filter((path) => path.endsWith('/session'))).toHaveLength(1)
      expect(await browser.who()).toBe('demoted')
    })
  })

  describe.each(modes)(`${name}, %s: the auth routes`, (_, config) => {
    test('a user signs in, is read, and signs out for good: a copy of the cookie is over too', async () => {
      const browser = await open(config())
      expect(await browser.who()).toBe(null)
      const entered = await browser.signIn({ callbackUrl: '/inbox' })
      expect([entered.status, entered.headers.get('location')]).toEqual([302, `${ORIGIN}/inbox`])
      expect(ofSession(entered)).toHaveLength(1)
      expect(entered.headers.getSetCookie().length).toBeGreaterThan(1)
      expect(await browser.who()).toBe('ann')
      const { cookie } = browser
      expect((await browser.post('/signout')).status).toBe(302)
      expect(browser.cookies.has(NAME)).toBe(false)
      expect(await browser.who({ cookie })).toBe(null)
    })

    test.each([
      '/auth',
      '/auth/',
      '/auth/nothing',
      '/auth/session/',
      '/auth/signin/a/b',
      '/auth/callback/a%2Fb',
      '/auth//session',
      '/signin',
      '/elsewhere/session',
      '/x/auth/session',
      '/authentic/session',
    ])('leave %s to the app', async (path) => {
      const answer = await (await open(config())).go(path)
      expect([answer.status, answer.headers.getSetCookie()]).toEqual([404, []])
    })

    test('attack: another spelling of a route is not a route', async () => {
      const answer = await (await open(config())).go(`${BASE}/%73ession`)
      // SvelteKit redirects to the one spelling, which hooks see.
      expect([404, 308]).toContain(answer.status)
      expect(answer.headers.getSetCookie()).toEqual([])
    })

    test('say where the app is', async () => {
      const found = await (await (await open(config())).go(`${BASE}/providers`)).json()
      expect(found).toMatchObject({
        credentials: { callbackUrl: `${issuer}/callback/credentials` },
        github: { signinUrl: `${issuer}/signin/github` },
      })
    })

    test('answer HEAD without a body', async () => {
      const answer = await (await open(config())).go(`${BASE}/session`, { method: 'HEAD' })
      expect([answer.status, await answer.text()]).toEqual([200, ''])
    })

    test('take JSON', async () => {
      const browser = await open(config())
      const csrfToken = await browser.csrfToken()
      const body = JSON.stringify({ csrfToken, username: 'änn', password: 'right' })
      const headers = { 'content-type': 'application/json', 'x-auth-return-redirect': '1' }
      await browser.go(`${BASE}/callback/credentials`, { method: 'POST', headers, body })
      expect(await browser.who()).toBe('änn')
    })

    test('lead to a provider, with the cookie of the flow', async () => {
      const answer = await (await open(config())).post('/signin/github')
      expect(new URL(answer.headers.get('location') ?? '').hostname).toBe('github.com')
      expect(answer.headers.getSetCookie().join()).toContain('auth.flow.')
    })

    test('attack: a wrong password signs no user in', async () => {
      const browser = await open(config())
      const answer = await browser.signIn({ password: 'wrong' })
      expect(answer.headers.get('location')).toContain('error=CredentialsSignin')
      expect([ofSession(answer), await browser.who()]).toEqual([[], null])
    })

    test.each<[string, (csrfToken: string) => RequestInit]>([
      [
        'of another site',
        (csrfToken) => ({
          body: new URLSearchParams({ ...right, csrfToken }),
          headers: { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
        }),
      ],
      ['without a token', () => ({ body: new URLSearchParams(right) })],
      [
        'with a token of its own',
        () => ({ body: new URLSearchParams({ ...right, csrfToken: 'x' }) }),
      ],
      [
        'with half an object',
        () => ({ body: '{', headers: { 'content-type': 'application/json' } }),
      ],
    ])('attack: a post %s signs no user in, and none out', async (_name, made) => {
      const [browser, stranger] = [await signedIn(config()), await open(config())]
      for (const [one, route] of [
        [browser, '/signout'],
        [stranger, '/callback/credentials'],
      ] as const) {
        const init = made(await one.csrfToken())
        const answer = await one.go(BASE + route, { method: 'POST', ...init })
        expect(ofSession(answer)).toEqual([])
        if (answer.status === 302) expect(answer.headers.get('location')).toContain('=MissingCSRF')
        else expect(answer.status).toBe(400)
      }
      expect([await browser.who(), await stranger.who()]).toEqual(['ann', null])
    })

    test.each(['https://evil.example/', '//evil.example', '/\\evil.example'])(
      'attack: the target %s leads to no other site',
      async (callbackUrl) => {
        const answer = await (await open(config())).signIn({ callbackUrl })
        expect(new URL(answer.headers.get('location') ?? '', ORIGIN).origin).toBe(ORIGIN)
      },
    )

    test('attack: a sign-out ends every session that the browser sends, at once in this app too', async () => {
      const app = await adapter.start(config())
      const tokens: string[] = []
      for (const username of ['mallory', 'victim', 'victim']) {
        const browser = new Browser(app)
        await browser.signIn({ username })
        tokens.push(`${NAME}=${browser.cookies.get(NAME)}`)
      }
      const who = (...sent: string[]) => new Browser(app).who({ cookie: sent.join('; ') })
      expect(await Promise.all(tokens.map((one) => who(one)))).toEqual([
        'mallory',
        'victim',
        'victim',
      ])
      expect([await who(...tokens), await who(...tokens.slice(1))]).toEqual([null, 'victim'])
      const browser = new Browser(app)
      const body = new URLSearchParams({ csrfToken: await browser.csrfToken() })
      const headers = { cookie: [...tokens, browser.cookie].join('; ') }
      const answer = await browser.go(`${BASE}/signout`, { method: 'POST', body, headers })
      expect(answer.status).toBe(302)
      expect(await Promise.all(tokens.map((one) => who(one)))).toEqual([null, null, null])
    })

    test('attack: a Connection header that names the cookie makes routes and pages disagree', async () => {
      const browser = await signedIn(config())
      for (const connection of ['cookie', 'close, Cookie']) {
        const headers = { connection }
        const route = await (await browser.go(`${BASE}/session`, { headers })).json()
        expect([route, await browser.who(headers)]).toEqual([null, null])
      }
      expect(await browser.who({ connection: 'keep-alive' })).toBe('ann')
    })
  })

  describe.each(modes)(`${name}, %s: the session of a page`, (_, config) => {
    test.each<[string, () => Promise<string> | string]>([
      ['no cookie', () => ''],
      ['another cookie', () => 'a=b'],
      ['a text of three parts', () => `${NAME}=a.b.c`],
      ['a token of another secret', () => cookieOf({ secret: SECRET.replaceAll('s', 'x') })],
      ['a token of another origin', () => cookieOf({ issuer: `http://localhost:3001${BASE}` })],
      ['a token that is cut off', async () => (await cookieOf()).slice(0, -4)],
      [
        'a token without a signature',
        async () => {
          const [, body] = (await cookieOf()).split('.')
          const head = Buffer.from('{"alg":"none","typ":"session+jwt"}').toString('base64url')
          return `${NAME}=${head}.${body}.`
        },
      ],
    ])('attack: %s is not a session', async (_name, cookie) => {
      const browser = await open(config())
      const answer = await browser.go('/me', { headers: { cookie: await cookie() } })
      expect([answer.status, await answer.json()]).toEqual([200, null])
    })

    test('is that of a genuine cookie, which stays as it is', async () => {
      const browser = await open(config())
      const answer = await browser.go('/me', { headers: { cookie: await cookieOf() } })
      expect([await answer.json(), answer.headers.getSetCookie()]).toEqual(['Bo', []])
    })

    test('is renewed by one cookie beside the app’s own, however often it is read', async () => {
      const browser = await signedIn(config())
      await browser.age()
      const answer = await browser.go('/often')
      expect(await answer.json()).toEqual(['ann', 'ann', 'ann'])
      expect(ofSession(answer)).toHaveLength(1)
      expect(answer.headers.getSetCookie().join()).toContain('theme=dark')
      expect(answer.headers.get('cache-control')).toBe(PRIVATE)
      const again = await browser.go('/often')
      expect([await again.json(), ofSession(again)]).toEqual([['ann', 'ann', 'ann'], []])
    })

    test('attack: a copy of a token that has ended is not renewed after the sign-out', async () => {
      const browser = await signedIn(config())
      await browser.age()
      const { cookie } = browser
      await browser.post('/signout')
      const answer = await browser.go('/me', { headers: { cookie } })
      const given = ofSession(answer).filter((line) => !line.includes('Max-Age=0'))
      expect([await answer.json(), given]).toEqual([null, []])
    })

    test('leaves a page that does not read it as it is', async () => {
      const browser = await signedIn(config())
      await browser.age()
      const answer = await browser.go('/plain')
      expect([await answer.text(), answer.headers.getSetCookie()]).toEqual(['plain', []])
      expect(answer.headers.get('cache-control')).toBe(null)
    })

    test.each([
      { 'cache-control': 'public, max-age=600' },
      { 'cache-control': 's-maxage=600, app="a, private, b"' },
      { 'cache-control': 'private="x-app", s-maxage=600' },
      { 'cache-control': 'max-age=60, x-private-ish' },
      { 'cdn-cache-control': 'max-age=600' },
      { 'vercel-cdn-cache-control': 's-maxage=600' },
      { 'surrogate-control': 'max-age=600' },
      { 'edge-control': 'max-age=600' },
      { 'x-accel-expires': '600' },
      { 'x-litespeed-cache-control': 'public, max-age=600' },
      { 'cache-control': 'private, max-age=9', 'cdn-cache-control': 'public, max-age=600' },
    ])('attack: no cache that obeys %j keeps a renewed cookie', async (headers) => {
      const browser = await signedIn(config())
      const path = `/answer?${new URLSearchParams(headers as Record<string, string>)}`
      const fresh = await browser.go(path)
      expect(Object.fromEntries(fresh.headers)).toMatchObject(headers)
      await browser.age()
      const answer = await browser.go(path)
      expect([await answer.text(), ofSession(answer).length]).toEqual(['ann', 1])
      expect(answer.headers.get('cache-control')).toMatch(/^private, /)
      const others = [...answer.headers.keys()].filter((one) =>
        /cdn|surrogate|edge|accel|litespeed/.test(one),
      )
      expect(others).toEqual([])
    })

    test('a private page says itself how long a browser keeps it', async () => {
      const browser = await signedIn(config())
      await browser.age()
      const headers = { 'cache-control': 'private, max-age=9' }
      const answer = await browser.go(`/answer?${new URLSearchParams(headers)}`)
      expect(answer.headers.get('cache-control')).toBe('private, max-age=9')
    })
  })

  describe(`${name}: a service elsewhere`, () => {
    test('is not asked for a fresh token, and once for one that has ended', async () => {
      const asked: string[] = []
      const browser = await signedIn(bound(asked))
      asked.splice(0)
      expect([await browser.who(), asked]).toEqual(['ann', []])
      await browser.age()
      await browser.go('/often')
      expect(asked.filter((path) => path === `${BASE}/session`)).toHaveLength(1)
    })

    test('that is silent is 503 for routes and readers, and keeps the cookie', async () => {
      const browser = await open(over(silent.fetch))
      const cookie = await cookieOf({ tokenMaxAge: -100 })
      for (const path of [`${BASE}/session`, '/me']) {
        const answer = await browser.go(path, { headers: { cookie } })
        expect([path, answer.status, answer.headers.getSetCookie()]).toEqual([path, 503, []])
      }
    })

    test('that is silent leaves a fresh token readable', async () => {
      expect(await (await open(over(silent.fetch))).who({ cookie: await cookieOf() })).toBe('Bo')
    })

    test('attack: hop-by-hop headers and those of a proxy reach it from no client, and none comes back', async () => {
      const seen: Request[] = []
      const browser = await open(
        over(async (url, init) => {
          seen.push(new Request(url, init))
          return new Response('{}', { headers: { connection: 'X-Inner', 'x-inner': '1' } })
        }),
      )
      const answer = await browser.go(`${BASE}/csrf?a=1`, {
        headers: {
          connection: 'close, X-Secret, cookie',
          'x-secret': '1',
          cookie: 'a=1',
          'x-auth-proof': 'forged',
          'x-forwarded-for': '6.6.6.6',
          'cf-connecting-ip': '6.6.6.6',
          forwarded: 'for=6.6.6.6;host=evil.example',
          'x-forwarded-host': 'evil.example',
          'x-app': 'kept',
        },
      })
      const [{ url, headers } = new Request(ORIGIN)] = seen
      expect(url).toBe(`${ORIGIN}${BASE}/csrf?a=1`)
      expect(Object.fromEntries(headers)).toMatchObject({
        'x-app': 'kept',
        'x-forwarded-host': 'localhost:3000',
        'x-forwarded-proto': 'http',
      })
      expect([...headers.keys()]).not.toEqual(
        expect.arrayContaining([
          expect.stringMatching(/^(?:connection|cookie|x-secret|forwarded)$/),
        ]),
      )
      expect([...headers.values()].join()).not.toMatch(/6\.6\.6\.6|forged|evil/)
      expect(answer.headers.has('x-inner')).toBe(false)
    })
  })

  describe(`${name}: the app’s origin`, () => {
    const at = (app: App, url: string, headers: HeadersInit = {}) =>
      app(new Request(url, { headers }))
    const PROXY = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' }

    test('attack: a Host that nothing vouches for is 400, and has no session', async () => {
      const app = await adapter.start(inProcess())
      const url = 'http://evil.example'
      const refused = await at(app, `${url}${BASE}/csrf`)
      expect([refused.status, refused.headers.getSetCookie()]).toEqual([400, []])
      const cookie = await cookieOf({ issuer: `${url}${BASE}` })
      expect(await (await at(app, `${url}/me`, { cookie })).json()).toBe(null)
    })

    test('attack: headers of a proxy that nothing trusts name no origin', async () => {
      const app = await adapter.start(inProcess())
      const forwarded = { forwarded: 'host=evil.example;proto=https' }
      for (const headers of [PROXY, forwarded]) {
        const { status } = await at(app, `http://app.example${BASE}/providers`, headers)
        expect([headers, status]).toEqual([headers, 400])
        const here = await at(app, `${ORIGIN}${BASE}/providers`, headers)
        expect(await here.text()).toContain(`"${issuer}/callback/credentials"`)
        const cookie = await cookieOf({ issuer: `https://evil.example${BASE}` })
        for (const origin of ['http://app.example', ORIGIN]) {
          const me = await at(app, `${origin}/me`, { ...headers, cookie })
          expect(await me.json()).toBe(null)
        }
      }
    })

    test.each([
      ['AUTH_TRUST_HOST', 'true', 200],
      ['AUTH_TRUSTED_ORIGINS', 'https://b.example', 400],
    ])('is what a proxy says, with %s=%s, and another is %i', async (variable, value, other) => {
      vi.stubEnv(variable, value)
      const app = await adapter.start(inProcess())
      const headers = { 'x-forwarded-host': 'b.example', 'x-forwarded-proto': 'https' }
      const path = `http://app.example${BASE}/providers`
      expect(await (await at(app, path, headers)).json()).toMatchObject({
        credentials: { callbackUrl: `https://b.example${BASE}/callback/credentials` },
      })
      const cookie = await cookieOf({ issuer: `https://b.example${BASE}` })
      const me = await at(app, 'http://app.example/me', { ...headers, cookie })
      expect(await me.json()).toBe('Bo')
      expect((await at(app, path, PROXY)).status).toBe(other)
    })
  })

  describe(`${name}: a mistake in the configuration`, () => {
    test('is logged, and 500 at the routes', async () => {
      const log = vi.spyOn(console, 'error').mockImplementation(() => {})
      const started = async () => {
        const browser = await open(inProcess({ secret: 'short' }))
        const answer = await browser.go(`${BASE}/csrf`, { headers: JSON_PLEASE })
        expect([answer.status, await answer.json()]).toMatchObject([
          500,
          { error: 'Configuration' },
        ])
        throw new Error(log.mock.calls.flat().join())
      }
      // An adapter that knows its environment says so at the start.
      await expect(started()).rejects.toThrow('32 characters')
      log.mockRestore()
    })
  })

  describe.runIf(adapter.hasGuard)(`${name}: a guard`, () => {
    test('sends a browser without a session to the sign-in page, and back', async () => {
      const page = await (await open(inProcess())).go('/members?a=1&b=2', { headers: HTML })
      expect([page.status, page.headers.get('location')]).toEqual([
        302,
        '/login?from=app&callbackUrl=%2Fmembers%3Fa%3D1%26b%3D2#form',
      ])
      expect(page.headers.get('cache-control')).toBe(PRIVATE)
    })

    test.each<RequestInit>([
      { headers: { accept: 'application/json' } },
      { headers: { 'x-requested-with': 'XMLHttpRequest' } },
      { headers: { 'sec-fetch-dest': 'empty' } },
      { headers: { accept: 'text/event-stream' } },
      { method: 'POST' },
    ])('answers %j without a session with 401', async (init) => {
      const answer = await (await open(inProcess())).go('/members', init)
      expect([answer.status, await answer.json()]).toEqual([401, { error: 'SessionRequired' }])
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
      expect(answer.headers.get('cache-control')).toBe(PRIVATE)
    })

    test.each(modes)('lets a session pass, and renews it, %s', async (_, config) => {
      const browser = await signedIn(config())
      const fresh = await browser.go('/members')
      expect([await fresh.json(), fresh.headers.get('cache-control')]).toEqual(['ann', PRIVATE])
      await browser.age()
      const answer = await browser.go('/members')
      expect([answer.status, await answer.json()]).toEqual([200, 'ann'])
      expect([ofSession(answer).length, answer.headers.get('cache-control')]).toEqual([1, PRIVATE])
    })

    test('attack: an old session pays nothing: it needs a fresh sign-in', async () => {
      const browser = await open(inProcess())
      const now = Math.floor(Date.now() / 1000)
      const at = async (authTime: number) => ({ ...HTML, cookie: await cookieOf({ authTime }) })
      expect((await browser.go('/pay', { headers: await at(now) })).status).toBe(200)
      const headers = await at(now - 100)
      const page = await browser.go('/pay', { headers })
      expect(page.headers.get('location')).toBe(`${BASE}/signin?maxAge=60&callbackUrl=%2Fpay`)
      const post = await browser.go('/pay', { method: 'POST', headers })
      expect([post.status, await post.json()]).toMatchObject([
        401,
        { error: 'FreshSignInRequired' },
      ])
      expect(post.headers.get('www-authenticate')).toMatch(
        /^Bearer error="insufficient_user_authentication", max_age="60"/,
      )
    })

    test('attack: a service that is silent lets no ended token pass: 503', async () => {
      const headers = { cookie: await cookieOf({ tokenMaxAge: -100 }) }
      const answer = await (await open(over(silent.fetch))).go('/members', { headers })
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
    })
  })
}
