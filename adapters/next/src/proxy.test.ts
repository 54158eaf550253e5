import { cookies } from 'next/headers.js'
import { NextResponse } from 'next/server.js'
import { describe, expect, test } from 'vitest'
import NextAuth, { type Authorized, type NextAuthConfig } from './index.js'
import {
  Browser,
  binding,
  inProcess,
  modes,
  NAME,
  ofSession,
  quiet,
  SECRET,
  silent,
} from './test-app.js'

const html = { headers: { accept: 'text/html' } }

describe.each(modes)('%s', (_, config, base) => {
  async function signedIn(authorized?: Authorized, more: object = {}) {
    const callbacks = authorized ? { callbacks: { authorized } } : {}
    const app = NextAuth({ ...config(), ...callbacks, ...more } as NextAuthConfig)
    const browser = new Browser(base)
    await browser.signIn(app.handlers)
    return { ...app, browser, nobody: new Browser(base) }
  }

  test('a request goes on as it came, with the path of the browser’s request', async () => {
    const { auth, browser } = await signedIn()
    const headers = { 'x-latchkey-path': '/evil', 'x-own': 'a' }
    const answer = await browser.proxy('/inbox?a=1', auth, { headers })
    const behind = Browser.behind(answer)
    expect([behind?.get('x-latchkey-path'), behind?.get('x-own')]).toEqual(['/inbox?a=1', 'a'])
    expect(behind?.get('cookie')).toBe(browser.cookie)
    // A static page keeps the Cache-Control that Next gives it.
    expect(answer.headers.get('cache-control')).toBe(null)
    expect(answer.headers.getSetCookie()).toEqual([])
  })

  test('the proxy renews once, and the page behind reads the new token without a call', async () => {
    const { auth, browser } = await signedIn()
    await browser.age()
    const answer = await browser.proxy('/inbox', auth)
    expect(ofSession(answer.headers.getSetCookie())).toHaveLength(1)
    expect(answer.headers.get('cache-control')).toBe('private, no-store')
    const headers = Browser.behind(answer) ?? {}
    const page = await new Browser().render(() => auth(), headers)
    expect([page.value?.user?.name, page.lines]).toEqual(['ann', []])
    expect(new Headers(headers).get('cookie')).toContain(browser.cookies.get(NAME))
  })

  test('attack: no CDN that obeys a header of next.config keeps a renewed cookie', async () => {
    const { auth, browser } = await signedIn()
    const there = auth(() => NextResponse.redirect('http://localhost:3000/there'))
    const elsewhere = auth(() => NextResponse.rewrite('https://other.example/a'))
    for (const proxy of [auth, there, elsewhere]) {
      const fresh = await browser.proxy('/static', proxy)
      await browser.age()
      const renewed = await browser.proxy('/static', proxy)
      const names = ['cdn-cache-control', 'vercel-cdn-cache-control', 'surrogate-control']
      for (const name of [...names, 'x-accel-expires'])
        expect([fresh, renewed].map(({ headers }) => headers.get(name))).toEqual([null, 'no-store'])
    }
  })

  test('attack: no renewed cookie is sent beside what Next itself serves, and makes public', async () => {
    const { auth, browser } = await signedIn()
    const own = auth(async () => void (await cookies()).set('theme', 'dark'))
    for (const proxy of [auth, own, auth(() => NextResponse.next())]) {
      for (const path of ['/_next/image?url=%2Fa.png&w=64&q=75', '/_next/static/chunks/a.js']) {
        await browser.age()
        const answer = await browser.proxy(path, proxy)
        expect([path, ofSession(answer.headers.getSetCookie())]).toEqual([path, []])
        expect(Browser.behind(answer)?.get('cookie')).toContain(browser.cookies.get(NAME))
      }
    }
    expect(ofSession((await browser.proxy('/', auth)).headers.getSetCookie())).toHaveLength(1)
  })

  test('attack: a renewal gives no session to a page whose cookies the app has taken away', async () => {
    const { auth, browser } = await signedIn()
    const handler = auth((request) => {
      const headers = new Headers(request.headers)
      headers.delete('cookie')
      return NextResponse.next({ request: { headers } })
    })
    await browser.age()
    const answer = await browser.proxy('/for-everybody', handler)
    expect(ofSession(answer.headers.getSetCookie())).toHaveLength(1)
    expect(Browser.behind(answer)?.has('cookie')).toBe(false)
  })

  test('requireSession behind the proxy leads back to the page, whatever the client wrote', async () => {
    const { auth, requireSession, nobody } = await signedIn()
    const headers = { 'x-latchkey-path': '/evil' }
    const answer = await nobody.proxy('/inbox?a=1', auth, { headers })
    const page = await nobody.render(() => requireSession(), Browser.behind(answer) ?? {})
    expect(page.location).toBe(`http://localhost:3000${base}/signin?callbackUrl=%2Finbox%3Fa%3D1`)
  })

  test.each<[string, Authorized]>([
    ['true', () => true],
    ['undefined', () => undefined],
  ])('authorized lets pass by %s, and the answer is private', async (_name, authorized) => {
    const { auth, nobody } = await signedIn(authorized)
    const answer = await nobody.proxy('/static', auth, html)
    expect(Browser.behind(answer)).toBeDefined()
    expect(answer.headers.get('cache-control')).toBe('private, no-store')
  })

  test('authorized gets the request and the session', async () => {
    const seen: unknown[] = []
    const { auth, browser, nobody } = await signedIn(({ request, auth }) => {
      seen.push([request.nextUrl.pathname, auth?.user?.name, request.auth?.user?.name])
      return Boolean(auth)
    })
    expect(Browser.behind(await browser.proxy('/a', auth))).toBeDefined()
    expect((await nobody.proxy('/b', auth, html)).status).toBe(302)
    expect(seen).toEqual([
      ['/a', 'ann', 'ann'],
      ['/b', undefined, undefined],
    ])
  })

  test.each<[string, unknown]>([
    ['false', false],
    ['null', null],
    ['0', 0],
  ])('authorized refuses by %s, a signed-in person too', async (_name, verdict) => {
    const { auth, browser, nobody } = await signedIn((() => verdict) as never)
    for (const one of [browser, nobody]) {
      const page = await one.proxy('/admin?a=1', auth, html)
      // Next takes no relative address from a proxy.
      expect([page.status, page.headers.get('location')]).toEqual([
        302,
        `http://localhost:3000${base}/signin?callbackUrl=%2Fadmin%3Fa%3D1`,
      ])
      const data = await one.proxy('/admin', auth, { headers: { 'sec-fetch-dest': 'empty' } })
      expect([data.status, Browser.behind(data)]).toEqual([401, undefined])
    }
  })

  test.each([null, false, 'yes'])(
    'attack: authorized that is %j, by a fallback of the app, lets nobody in',
    async (authorized) => {
      const { auth, nobody } = await signedIn(undefined, { callbacks: { authorized } })
      await expect(nobody.proxy('/admin', auth, html)).rejects.toThrow('not a function')
    },
  )

  test('a Response of authorized is the answer, with the renewed cookie', async () => {
    const there = new URL('http://localhost:3000/there')
    const { auth, browser } = await signedIn(() => NextResponse.redirect(there))
    await browser.age()
    const answer = await browser.proxy('/a', auth)
    expect([answer.status, answer.headers.get('location')]).toEqual([307, there.href])
    expect(ofSession(answer.headers.getSetCookie())).toHaveLength(1)
    expect(answer.headers.get('cache-control')).toBe('private, no-store')
  })

  test('Next’s router gets 401 from the proxy, which does not see its header, over plain http too', async () => {
    const { auth, nobody } = await signedIn(() => false)
    const asked = async (accept: string) =>
      (await nobody.proxy('/inbox', auth, { headers: { accept } })).status
    // What fetch sends, and what browsers send for a page.
    expect(await asked('*/*')).toBe(401)
    expect(await asked('text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8')).toBe(302)
  })

  test('a host that nothing vouches for is refused, and not led to a page that is refused', async () => {
    const { auth, requireSession, nobody } = await signedIn(() => false, { trustHost: false })
    const headers = { ...html.headers, host: 'evil.example' }
    const answer = await nobody.proxy('/inbox', auth, { headers })
    expect([answer.status, answer.headers.get('location')]).toEqual([400, null])
    const handler = requireSession(() => new Response('members'))
    expect((await nobody.handle('/members', handler, { headers })).status).toBe(400)
  })

  test('behind a proxy that takes /app off, and is trusted, addresses are those of the browser', async () => {
    const { auth, requireSession, nobody } = await signedIn(() => false, { trustHost: true })
    const headers = { ...html.headers, 'x-forwarded-prefix': '/app' }
    const led = (await nobody.proxy('/inbox?a=1', auth, { headers })).headers.get('location')
    expect(led).toBe(`http://localhost:3000/app${base}/signin?callbackUrl=%2Fapp%2Finbox%3Fa%3D1`)
    const page = (callbackUrl?: string) =>
      nobody.render(() => requireSession({ callbackUrl }), headers)
    expect((await page('/inbox')).location).toBe(
      `http://localhost:3000/app${base}/signin?callbackUrl=%2Fapp%2Finbox`,
    )
    expect((await page('/app/inbox')).location).toContain('callbackUrl=%2Fapp%2Finbox')
  })

  test('attack: the prefix that a client claims leads nowhere without a trusted proxy', async () => {
    const { auth, nobody } = await signedIn(() => false)
    const headers = { ...html.headers, 'x-forwarded-prefix': '/evil' }
    const led = (await nobody.proxy('/inbox', auth, { headers })).headers.get('location')
    expect(led).toBe(`http://localhost:3000${base}/signin?callbackUrl=%2Finbox`)
  })

  test.each([
    '/..//evil.example/x',
    'http://localhost:3000//evil.example/x',
    'http://localhost:3000/.//evil.example/x',
  ])(
    'attack: a Location of authorized leads to no other host when Next makes it relative: %s',
    async (location) => {
      const headers = { location }
      const { auth, browser } = await signedIn(() => new Response(null, { status: 307, headers }))
      const answer = await browser.proxy('/a', auth)
      expect(answer.headers.get('location')).toBe('http://localhost:3000/evil.example/x')
    },
  )

  test('the routes and the sign-in page pass without being asked', async () => {
    const refuse = () => false
    const { auth, nobody } = await signedIn(refuse, { pages: { signIn: '/login?from=app' } })
    const headers = { accept: 'text/html', 'x-latchkey-path': '/evil' }
    const pathBehind = async (path: string) =>
      Browser.behind(await nobody.proxy(path, auth, { headers }))?.get('x-latchkey-path')
    for (const path of [`${base}/signin`, `${base}/callback/github?code=x`, '/login', '/login?x=1'])
      expect([path, await pathBehind(path)]).toEqual([path, path])
  })

  test.each([
    '/login/',
    '/LOGIN',
    '/%6cogin',
    '//login',
    '/login/../admin',
    '/login;x',
    '/api/authx/signin',
    '/x/api/auth/signin',
    '/x/auth/signin',
    '/api/auth/%73ignin',
    '/api/auth//signin',
    '/api/auth/signin/',
    '/_next/data/build/admin.json',
    '/admin.rsc',
    '/admin?_rsc=1',
  ])('another spelling is asked like any page: %s', async (path) => {
    const { auth, nobody } = await signedIn(() => false, { pages: { signIn: '/login' } })
    for (const headers of [
      {},
      { rsc: '1' },
      { 'next-router-prefetch': '1' },
      { 'next-action': 'x' },
      { 'x-middleware-subrequest': 'proxy:proxy:proxy:proxy:proxy' },
      { 'x-middleware-next': '1' },
    ]) {
      const answer = await nobody.proxy(path, auth, { headers: headers as Record<string, string> })
      expect(Browser.behind(answer)).toBe(undefined)
    }
  })

  test('auth wraps the app’s own proxy: its headers, rewrites and cookies stay', async () => {
    const { auth, browser } = await signedIn()
    await browser.age()
    const answer = await browser.proxy(
      '/a?b=c',
      auth((request) => {
        const headers = new Headers(request.headers)
        headers.set('x-user', request.auth?.user?.name ?? '')
        headers.delete('x-secret')
        const response = NextResponse.rewrite(new URL('/real', request.url), {
          request: { headers },
        })
        response.cookies.set('theme', 'dark')
        return response
      }),
      { headers: { 'x-secret': '1' } },
    )
    const name = (it: string) => answer.headers.get(`x-middleware-request-${it}`)
    expect([name('x-user'), name('x-secret'), name('x-latchkey-path')]).toEqual([
      'ann',
      null,
      '/a?b=c',
    ])
    expect(name('cookie')).toContain(browser.cookies.get(NAME))
    const lines = answer.headers.getSetCookie().map((line) => line.split('=')[0])
    expect(lines.toSorted()).toEqual([NAME, 'theme'])
    expect(answer.headers.get('cache-control')).toBe('private, no-store')
  })

  test('cookies().set in a proxy takes no renewed cookie away', async () => {
    const { auth, browser } = await signedIn()
    await browser.age()
    const old = browser.cookies.get(NAME)
    const answer = await browser.proxy(
      '/a',
      auth(async () => void (await cookies()).set('theme', 'dark')),
    )
    expect(browser.cookies.get('theme')).toBe('dark')
    expect(browser.cookies.get(NAME)).not.toBe(old)
    expect(Browser.behind(answer)?.get('cookie')).toContain(browser.cookies.get(NAME))
  })

  test('a rewrite to another host tells it neither the renewed cookie nor the path', async () => {
    const { auth, browser } = await signedIn()
    await browser.age()
    const handler = auth(() => NextResponse.rewrite('https://other.example/a'))
    const answer = await browser.proxy('/secret-path', handler)
    expect(answer.headers.get('x-middleware-override-headers')).toBe(null)
    expect([...answer.headers].join()).not.toContain('secret-path')
    expect(answer.headers.get('x-middleware-request-cookie')).toBe(null)
    expect(ofSession(answer.headers.getSetCookie())).toHaveLength(1)
  })

  test('a proxy of the app’s own that gives nothing lets the request go on', async () => {
    const { auth, browser } = await signedIn()
    const answer = await browser.proxy(
      '/a',
      auth(() => {}),
    )
    expect(Browser.behind(answer)?.get('x-latchkey-path')).toBe('/a')
  })

  test('a session that is over is taken from the page behind too', async () => {
    const { auth, handlers, browser } = await signedIn()
    await browser.age()
    const { cookie } = browser
    await browser.post(handlers.GET, handlers.POST, '/signout')
    const copy = new Browser(base)
    const answer = await copy.proxy('/a', auth, { headers: { cookie } })
    const page = await copy.render(() => auth(), Browser.behind(answer) ?? {})
    expect(page.value).toBe(null)
  })
})

test('attack: no script gets the last token of a session that is over, by a header for Next alone', async () => {
  let isOver = false
  const session = ({ session }: { session: object }) => (isOver ? null : session)
  const { auth, handlers } = NextAuth(inProcess({ callbacks: { session } as never }))
  const browser = new Browser()
  await browser.signIn(handlers)
  await browser.age()
  isOver = true
  const handler = auth(({ headers }) => NextResponse.next({ request: { headers } }))
  const headers = { cookie: `${NAME}=${browser.cookies.get(NAME)}` }
  const answer = await browser.proxy('/a', handler, { headers })
  expect(ofSession(answer.headers.getSetCookie())).toEqual([expect.stringContaining('Max-Age=0')])
  expect(Browser.behind(answer)?.has('cookie')).toBe(false)
  expect(answer.headers.has('x-middleware-request-cookie')).toBe(false)
})

test('while the service is silent the proxy is 503 for an ended token, and lets nobody in', async () => {
  const config = { worker: silent, secret: SECRET, logger: quiet }
  const authorized = ({ auth }: { auth: unknown }) => Boolean(auth)
  const { auth } = NextAuth({ ...config, callbacks: { authorized } })
  const browser = new Browser('/auth')
  await browser.signIn(NextAuth({ worker: binding(), logger: quiet }).handlers)
  await browser.age()
  const answer = await browser.proxy('/a', auth, html)
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
  expect([answer.headers.getSetCookie(), Browser.behind(answer)]).toEqual([[], undefined])
})

test('a mistake in the configuration is 500 behind the proxy, and nothing passes', async () => {
  const { vi } = await import('vitest')
  const error = vi.spyOn(console, 'error').mockReturnValue()
  const { auth } = NextAuth({
    providers: [],
    secret: 'short',
    callbacks: { authorized: () => true },
  })
  const answer = await new Browser().proxy('/a', auth, html)
  expect([answer.status, Browser.behind(answer)]).toEqual([500, undefined])
  expect(error.mock.calls.flat().join()).toContain('at least 32')
  error.mockRestore()
})
