import { notFound, permanentRedirect } from 'next/navigation.js'
import { NextResponse } from 'next/server.js'
import { describe, expect, test, vi } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import NextAuth, { type NextAuthConfig, type NextAuthRequest } from './index.js'
import { redirect } from './redirect.js'
import {
  Browser,
  binding,
  inProcess,
  modes,
  NAME,
  OFFER,
  offering,
  ofSession,
  quiet,
  SECRET,
  silent,
} from './test-app.js'

const { pass } = clock()

const who = (request: NextAuthRequest) => Response.json({ who: request.auth?.user?.name ?? null })
const html = { accept: 'text/html' }

describe('the offer to bind a session', () => {
  const right = { username: 'ann', password: 'right', redirectTo: '/inbox' }
  const own = { 'sec-fetch-site': 'same-origin' }
  const told = ({ headers }: Response) => headers.get('secure-session-registration')

  test('is in the answer of the auth routes', async () => {
    const { handlers } = NextAuth({ worker: offering() })
    expect(told(await new Browser('/auth').signIn(handlers))).toBe(OFFER)
  })

  test.each(['POST', 'GET'])(
    'is in the answer of a wrapped handler that signs in: %s',
    async (method) => {
      const { auth, signIn } = NextAuth({ worker: offering() })
      const browser = new Browser('/auth')
      const init = { method, headers: own }
      const redirecting = auth(() => signIn('credentials', right))
      const answer = await browser.handle('/in', redirecting, init)
      expect([answer.status, answer.headers.get('location'), told(answer)]).toEqual([
        303,
        'http://localhost:3000/inbox',
        OFFER,
      ])
      expect(ofSession(answer.headers.getSetCookie())).toHaveLength(1)
      expect(answer.headers.get('cache-control')).toBe('private, no-store')
      const staying = auth(async () =>
        Response.json(await signIn('credentials', { ...right, redirect: false })),
      )
      expect(told(await browser.handle('/in', staying, init))).toBe(OFFER)
      const page = auth(who)
      const next = await browser.handle('/me', page)
      expect([await next.json(), told(next)]).toEqual([{ who: 'ann' }, null])
    },
  )

  test('is lost where Next alone makes the answer: in an action, and in a handler that is not wrapped', async () => {
    const { auth, signIn } = NextAuth({ worker: offering() })
    const browser = new Browser('/auth')
    const init = { method: 'POST', headers: own }
    const answer = await browser.handle('/in', () => signIn('credentials', right), init)
    expect([answer.status, told(answer)]).toEqual([303, null])
    expect((await browser.render(() => auth())).value?.user?.name).toBe('ann')
  })
})

describe.each(modes)('%s', (_, config, base) => {
  async function signedIn() {
    const app = NextAuth(config())
    const browser = new Browser(base)
    await browser.signIn(app.handlers)
    return { ...app, browser }
  }

  test('auth wraps a route handler: it has the session, and its answer is private', async () => {
    const { auth, browser } = await signedIn()
    const handler = auth(who)
    const answer = await browser.handle('/me', handler)
    expect([await answer.json(), answer.headers.get('cache-control')]).toEqual([
      { who: 'ann' },
      'private, no-store',
    ])
    expect(await (await new Browser().handle('/me', handler)).json()).toEqual({ who: null })
  })

  test('inside a wrapped handler auth() is the same session, and a renewal one cookie', async () => {
    const { auth, browser } = await signedIn()
    await browser.age()
    const seen: unknown[] = []
    const answer = await browser.handle(
      '/me',
      auth(async (request) => {
        seen.push(request.auth, await auth())
        const response = NextResponse.json(
          {},
          { headers: { 'cache-control': 'public, max-age=60' } },
        )
        response.cookies.set('theme', 'dark')
        return response
      }),
    )
    expect(seen[0]).toBe(seen[1])
    const lines = answer.headers.getSetCookie()
    expect([ofSession(lines).length, lines.length]).toEqual([1, 2])
    expect(answer.headers.get('cache-control')).toBe('private, no-store')
  })

  test('a bare auth() in a handler renews by the cookies of Next', async () => {
    const { auth, browser } = await signedIn()
    await browser.age()
    const answer = await browser.handle('/me', async () =>
      Response.json((await auth())?.user?.name),
    )
    expect(await answer.json()).toBe('ann')
    expect(ofSession(answer.headers.getSetCookie())).toHaveLength(1)
  })

  test('a redirect that the handler throws keeps the renewed cookie', async () => {
    const { auth, browser } = await signedIn()
    await browser.age()
    const answer = await browser.handle(
      '/old',
      auth(() => redirect('/new')),
    )
    expect([answer.status, answer.headers.get('location')]).toEqual([307, '/new'])
    expect(ofSession(answer.headers.getSetCookie())).toHaveLength(1)
  })

  test('attack: no cache keeps what a handler throws beside a renewed cookie', async () => {
    const { auth, browser } = await signedIn()
    for (const [throwing, status] of [
      [() => permanentRedirect('/new;b'), 308],
      [() => redirect('/new;b'), 307],
      [notFound, 404],
    ] as const) {
      await browser.age()
      const answer = await browser.handle('/old', auth(throwing))
      expect([answer.status, answer.headers.get('location')]).toEqual([
        status,
        status === 404 ? null : '/new;b',
      ])
      expect(ofSession(answer.headers.getSetCookie())).toHaveLength(1)
      expect(answer.headers.get('cache-control')).toBe('private, no-store')
    }
  })

  test('a redirect of a form is left to Next, which changes its status', async () => {
    const { auth, browser } = await signedIn()
    await browser.age()
    const handler = auth(() => redirect('/new'))
    const thrown = browser.handle(
      '/old',
      (async (request: never, context: never) => {
        await expect(handler(request, context)).rejects.toThrow('NEXT_REDIRECT')
        return new Response()
      }) as never,
      { method: 'POST' },
    )
    expect(ofSession((await thrown).headers.getSetCookie())).toHaveLength(1)
  })

  test('requireSession wraps a handler: 302 for a page, 401 otherwise, and a fresh sign-in', async () => {
    const { requireSession, browser } = await signedIn()
    const handler = requireSession(who)
    expect(await (await browser.handle('/me', handler)).json()).toEqual({ who: 'ann' })
    const nobody = new Browser()
    const page = await nobody.handle('/me?x=1', handler, { headers: html })
    expect([page.status, page.headers.get('location')]).toEqual([
      302,
      `${base}/signin?callbackUrl=%2Fme%3Fx%3D1`,
    ])
    for (const headers of [
      { accept: 'application/json' },
      // A request of Next's router for data: Next loads the page itself.
      { ...html, rsc: '1', 'sec-fetch-dest': 'empty' },
      // Over plain http.
      { accept: '*/*', rsc: '1' },
    ]) {
      const answer = await nobody.handle('/me', handler, { headers })
      expect([answer.status, await answer.json()]).toEqual([401, { error: 'SessionRequired' }])
    }
    pass(301)
    const fresh = requireSession(who, { maxAge: 300 })
    const stale = await browser.handle('/pay', fresh, { headers: { accept: 'application/json' } })
    expect([stale.status, ((await stale.json()) as { error: string }).error]).toEqual([
      401,
      'FreshSignInRequired',
    ])
  })
})

test.each([undefined, null])(
  'requireSession is a gate with the options %s: a fallback that is null lets nobody in',
  async (options) => {
    const { requireSession } = NextAuth(inProcess())
    const answer = await new Browser().handle('/me', requireSession(who, options as never))
    expect(answer.status).toBe(302)
  },
)

test('attack: auth(request) in a handler is not taken for a session', async () => {
  const { auth } = NextAuth(inProcess())
  const handlers = [auth, (request: never) => auth(request, undefined as never)]
  for (const handler of handlers)
    await expect(new Browser().handle('/me', handler as never)).rejects.toThrow('wrap the handler')
})

test('while the service is silent routes and wrapped handlers are 503, and no cookie is touched', async () => {
  const { handlers, auth, requireSession } = NextAuth({
    worker: silent,
    secret: SECRET,
    logger: quiet,
  })
  const browser = new Browser('/auth')
  const signedIn = NextAuth({ worker: binding(), logger: quiet })
  await browser.signIn(signedIn.handlers)
  await browser.age()
  for (const handler of [handlers.GET, auth(who), requireSession(who)]) {
    const answer = await browser.handle('/auth/session', handler)
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
    expect(answer.headers.getSetCookie()).toEqual([])
  }
})

test.each<[string, NextAuthConfig, string]>([
  ['a short secret', { providers: [], secret: 'short' }, 'at least 32'],
  ['two services', { providers: [], worker: 'https://a.example/auth' } as never, 'together'],
  ['none', {} as never, '`providers`'],
])(
  'a mistake in the configuration is 500 Configuration at the routes, and in the log: %s',
  async (_, config, text) => {
    const error = vi.spyOn(console, 'error').mockReturnValue()
    // A build evaluates the module: it tells nothing.
    const { handlers, auth } = NextAuth(config)
    expect(error).not.toHaveBeenCalled()
    const browser = new Browser()
    const answer = await browser.handle('/api/auth/session', handlers.GET)
    expect([answer.status, await answer.json()]).toMatchObject([500, { error: 'Configuration' }])
    browser.cookies.set(NAME, 'a.b.c')
    expect((await browser.handle('/me', auth(who))).status).toBe(500)
    expect(error.mock.calls.flat().join()).toContain(text)
    error.mockRestore()
  },
)

test.each(['/api/auth', '/shop/api/auth'])(
  'below basePath of Next no path has it twice: %s',
  async (basePath) => {
    vi.stubEnv('__NEXT_ROUTER_BASEPATH', '/shop')
    const { handlers, signIn, requireSession, auth } = NextAuth(inProcess({ basePath } as never))
    vi.unstubAllEnvs()
    const browser = new Browser('/shop/api/auth')
    const list = await (await browser.handle('/shop/api/auth/providers', handlers.GET)).json()
    expect(list).toMatchObject({
      github: { callbackUrl: 'http://localhost:3000/shop/api/auth/callback/github' },
    })
    // Next takes it off the URL of some handlers.
    expect((await browser.handle('/api/auth/providers', handlers.GET)).status).toBe(200)
    const right = { username: 'ann', password: 'right' }
    const go = async (redirectTo?: string) =>
      (await browser.act(() => signIn('credentials', { ...right, redirectTo }))).location
    expect(await go('/inbox')).toBe('http://localhost:3000/shop/inbox')
    expect(await go('/shop/inbox')).toBe('http://localhost:3000/shop/inbox')
    expect(await go()).toBe('http://localhost:3000/shop/')
    expect((await browser.render(() => auth())).value?.user?.name).toBe('ann')
    const nobody = new Browser()
    const page = async (redirectTo?: string) =>
      (await nobody.render(() => requireSession({ redirectTo } as never))).location
    expect(await page()).toBe('http://localhost:3000/shop/api/auth/signin')
    expect(await page('/login')).toBe('http://localhost:3000/shop/login')
  },
)

test('a function makes the configuration of each request, and gets a handler’s request', async () => {
  const seen: unknown[] = []
  const config = inProcess()
  const { handlers, auth } = NextAuth((request) => {
    seen.push(request?.nextUrl.pathname)
    return config
  })
  const browser = new Browser()
  await browser.signIn(handlers)
  expect((await browser.render(() => auth())).value?.user?.name).toBe('ann')
  expect(seen).toEqual(['/api/auth/csrf', '/api/auth/callback/credentials', undefined])
})

test('a Host that nobody vouches for is 400 in production, and has no session', async () => {
  const config = inProcess()
  const { handlers, auth } = NextAuth(config)
  const browser = new Browser()
  await browser.signIn(handlers)
  vi.stubEnv('NODE_ENV', 'production')
  const { handlers: production, auth: read } = NextAuth({ ...config, logger: quiet })
  const headers = { host: 'evil.example' }
  const answer = await browser.handle('/api/auth/session', production.GET, { headers })
  expect(answer.status).toBe(400)
  expect((await browser.render(() => read(), headers)).value).toBe(null)
  vi.unstubAllEnvs()
  expect((await browser.render(() => auth())).value?.user?.name).toBe('ann')
})
