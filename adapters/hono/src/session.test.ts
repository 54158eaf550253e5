import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { type Session, WorkerUnavailable } from '@latchkey/session'
import { mintSession } from '@latchkey/session/testing'
import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { describe, expect, test, vi } from 'vitest'
import type { AuthHandlerConfig } from './index.js'
import { authHandler, getSession, requireSession, session } from './index.js'
import { Browser, binding, inProcess, modes, ORIGIN, SECRET } from './test-app.js'

const NAME = 'auth.session-token'
const issuer = `${ORIGIN}/auth`

/** A signed-in browser, with a token of an age in seconds. */
async function cookieOf(age = 0): Promise<string> {
  const tokenMaxAge = 300 - age
  return (
    await mintSession({ secret: SECRET, issuer, user: { id: 'bo', name: 'Bo' }, tokenMaxAge })
  ).cookie
}

/** A browser with an ended token of a live session. @param left seconds of the token */
async function signedInLongAgo(app: Hono, left = -100): Promise<Browser> {
  const browser = new Browser(app)
  await browser.signIn()
  const { deriveSessionKeys, signSessionToken } = await import('@latchkey/session/issue')
  const { signing } = await deriveSessionKeys([SECRET])
  const payload = browser.cookies.get(NAME)?.split('.')[1] ?? ''
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
  const now = Math.floor(Date.now() / 1000)
  const times = { iat: now + left - 300, exp: now + left, auth_time: now + left - 300 }
  browser.cookies.set(NAME, await signSessionToken({ ...claims, ...times }, signing))
  return browser
}

function ofSession(answer: Response): string[] {
  return answer.headers.getSetCookie().filter((line) => line.startsWith(`${NAME}=`))
}

function appWith(
  config: AuthHandlerConfig,
  middleware: MiddlewareHandler,
  handler: (c: Context) => Response | Promise<Response>,
): Hono {
  const app = new Hono()
  app.all('/auth/*', authHandler(config))
  app.get('/page', middleware, handler)
  return app
}

const name = (found: Session | null) => found?.user?.name ?? 'nobody'

describe('the session', () => {
  const config = inProcess()
  const app = new Hono()
  app.use('/middleware', session(config))
  app.get('/middleware', (c) => c.text(name(c.var.session)))
  app.get('/function', async (c) => c.text(name(await getSession(c, config))))
  app.get('/required', requireSession({}, config), (c) => c.text(name(c.var.session)))

  test.each(['/middleware', '/function', '/required'])('by %s', async (path) => {
    const headers = { cookie: await cookieOf() }
    const answer = await app.request(ORIGIN + path, { headers })
    expect([await answer.text(), answer.headers.getSetCookie()]).toEqual(['Bo', []])
  })

  test('is null without a cookie, and with a forged one', async () => {
    const forged = await mintSession({ secret: SECRET.replaceAll('s', 'x'), issuer })
    for (const cookie of ['', 'a=b', forged.cookie]) {
      const answer = await app.request(`${ORIGIN}/middleware`, { headers: { cookie } })
      expect(await answer.text()).toBe('nobody')
      expect((await app.request(`${ORIGIN}/function`, { headers: { cookie } })).status).toBe(200)
    }
  })

  test('`online` asks the service each time', async () => {
    const worker = binding()
    const asked: string[] = []
    const counting = {
      fetch(url: string, init?: RequestInit) {
        asked.push(new URL(url).pathname)
        return worker.fetch(url, init)
      },
    }
    const forwarded = { worker: counting, secret: SECRET }
    const both = new Hono()
    both.all('/auth/*', authHandler(forwarded))
    both.get('/me', async (c) => c.text(name(await getSession(c, { ...forwarded, online: true }))))
    const browser = new Browser(both)
    await browser.signIn()
    asked.splice(0)
    for (let count = 0; count < 2; count++) {
      expect(await (await browser.go('/me')).text()).toBe('ann')
    }
    expect(asked.filter((path) => path === '/auth/session')).toHaveLength(2)
  })
})

describe.each(modes)('a token that has ended, %s', (_, config) => {
  const text = (c: Context) => c.text(name(c.var.session))
  const ownResponse = (c: Context) =>
    new Response(name(c.var.session), { headers: { 'x-own': '1' } })
  const redirect = () => Response.redirect(`${ORIGIN}/elsewhere`)

  test.each([
    ['session() and c.text', session, text],
    ['session() and a Response', session, ownResponse],
    ['session() and a Response that cannot be changed', session, redirect],
    ['requireSession() and c.text', (it: AuthHandlerConfig) => requireSession({}, it), text],
    [
      'requireSession() and a Response',
      (it: AuthHandlerConfig) => requireSession({}, it),
      ownResponse,
    ],
  ])('is renewed once by %s', async (_name, middleware, handler) => {
    const given = config()
    const browser = await signedInLongAgo(appWith(given, middleware(given), handler))
    const answer = await browser.go('/page')
    expect(ofSession(answer)).toHaveLength(1)
    expect(answer.headers.get('cache-control')).toBe('private, no-store')
    if (handler === ownResponse) expect(answer.headers.get('x-own')).toBe('1')
    if (answer.status === 200) expect(await answer.text()).toBe('ann')
    const again = await browser.go('/page')
    expect(ofSession(again)).toEqual([])
    if (again.status === 200) expect(await again.text()).toBe('ann')
  })

  test('is renewed once however often it is read', async () => {
    const given = config()
    const app = appWith(given, session(given), async (c) => {
      const both = await Promise.all([getSession(c, given), getSession(c, given)])
      c.header('set-cookie', 'theme=dark', { append: true })
      return c.json([...both, await getSession(c, given), c.var.session].map(name))
    })
    app.get('/alone', async (c) => {
      const both = await Promise.all([getSession(c, given), getSession(c, given)])
      c.header('set-cookie', 'theme=dark', { append: true })
      return c.json([...both, await getSession(c, given)].map(name))
    })
    for (const path of ['/page', '/alone']) {
      const answer = await (await signedInLongAgo(app)).go(path)
      expect(new Set((await answer.json()) as string[])).toEqual(new Set(['ann']))
      expect([path, ofSession(answer).length]).toEqual([path, 1])
      expect(answer.headers.getSetCookie()).toContain('theme=dark')
      expect(answer.headers.get('cache-control')).toBe('private, no-store')
    }
  })

  test('a sign-out or another sign-in in the same answer wins', async () => {
    const given = config()
    const app = new Hono()
    app.use(session(given))
    app.all('/auth/*', authHandler(given))
    const leaving = await signedInLongAgo(app)
    leaving.cookies.set(NAME, (await signedInLongAgo(app)).cookies.get(NAME) ?? '')
    const stale = leaving.cookies.get(NAME) ?? ''
    const { csrfToken } = (await (await leaving.go('/auth/csrf')).json()) as { csrfToken: string }
    leaving.cookies.set(NAME, stale)
    const body = new URLSearchParams({ csrfToken })
    const answer = await leaving.go('/auth/signout', { method: 'POST', body })
    expect(ofSession(answer)).toEqual([expect.stringMatching(/Max-Age=0/)])
    expect(leaving.cookies.has(NAME)).toBe(false)
  })
})

describe.each(modes)('a token that was renewed beside an earlier request, %s', (_, config) => {
  /** Reads the session three times and sends no cookie of its own. */
  const build = (given: AuthHandlerConfig) => {
    const app = new Hono()
    app.use(session(given))
    app.all('/auth/*', authHandler(given))
    app.get('/page', async (c) => {
      const all = [c.var.session, await getSession(c, given), await getSession(c, given)]
      return c.json(all.map(name))
    })
    app.get('/bare', () => new Response('own'))
    return app
  }

  /** The answer with the newer cookie, which the app has soon, to a browser with the older one. */
  async function renewedBeside(browser: Browser, path: string): Promise<Response> {
    const older = browser.cookies.get(NAME) ?? ''
    const first = await browser.go('/page')
    expect([await first.json(), ofSession(first)]).toEqual([['ann', 'ann', 'ann'], []])
    for (let tries = 0; tries < 500; tries++) {
      browser.cookies.set(NAME, older)
      const answer = await browser.go(path)
      if (ofSession(answer).length > 0) return answer
      await pause(5)
    }
    throw new Error('The newer cookie never came.')
  }

  test.each(['/page', '/bare'])('its cookie reaches the browser, once: %s', async (path) => {
    const browser = await signedInLongAgo(build(config()), 30)
    const answer = await renewedBeside(browser, path)
    expect(ofSession(answer)).toEqual([expect.stringMatching(/=[\w-]+\.[\w-]+\.[\w-]+; /)])
    expect(answer.headers.get('cache-control')).toBe('private, no-store')
    expect(ofSession(await browser.go(path))).toEqual([])
  })

  test('a sign-out in the same answer wins', async () => {
    const app = build(config())
    const browser = await signedInLongAgo(app, 30)
    const older = browser.cookies.get(NAME) ?? ''
    await renewedBeside(browser, '/page')
    const { csrfToken } = (await (await browser.go('/auth/csrf')).json()) as { csrfToken: string }
    browser.cookies.set(NAME, older)
    const body = new URLSearchParams({ csrfToken })
    const answer = await browser.go('/auth/signout', { method: 'POST', body })
    expect(ofSession(answer)).toEqual([expect.stringMatching(/Max-Age=0/)])
    // The older token of a session that is over does not get the newer token either.
    browser.cookies.set(NAME, older)
    const late = await browser.go('/page')
    expect([await late.json(), ofSession(late)]).toEqual([['nobody', 'nobody', 'nobody'], []])
  })
})

describe('requireSession', () => {
  const config = inProcess()
  const app = new Hono()
  app.use('/members/*', requireSession({ redirectTo: '/login?from=app#form' }, config))
  app.use('/plain', requireSession(undefined, config))
  app.get('/members/*', (c) => c.text(name(c.var.session)))
  app.use('/login', requireSession({}, config))
  app.get('/login', (c) => c.text('log in'))

  test('sends a browser to the login page, with the callbackUrl', async () => {
    const answer = await app.request(`${ORIGIN}/members/a?b=1&c=2`)
    expect(answer.status).toBe(302)
    expect(answer.headers.get('location')).toBe(
      '/login?from=app&callbackUrl=%2Fmembers%2Fa%3Fb%3D1%26c%3D2#form',
    )
    expect(answer.headers.get('cache-control')).toBe('private, no-store')
    const plain = await app.request(`${ORIGIN}/plain`)
    expect(plain.headers.get('location')).toBe('/login?callbackUrl=%2Fplain')
  })

  test('redirects to no other site', async () => {
    for (const path of ['//evil.example/members/', '/\\evil.example']) {
      const all = new Hono().use(requireSession({}, config))
      const answer = await all.request(ORIGIN + path)
      const location = new URL(answer.headers.get('location') ?? '', ORIGIN)
      expect(location.searchParams.get('callbackUrl')).toMatch(/^\/(?![/\\])/)
    }
  })

  test('lets the login page pass, in exactly that spelling', async () => {
    expect(await (await app.request(`${ORIGIN}/login?callbackUrl=/x`)).text()).toBe('log in')
    const encoded = new Hono().use(requireSession({}, config)).get('/login', (c) => c.text('in'))
    expect((await encoded.request(`${ORIGIN}/%6cogin`)).status).toBe(302)
    expect((await encoded.request(`${ORIGIN}/login/`)).status).toBe(302)
  })

  test('a route may set its own Cache-Control', async () => {
    const own = new Hono().use(requireSession({}, config)).get('/x', (c) => {
      c.header('cache-control', 'private, max-age=60')
      return c.text('x')
    })
    const answer = await own.request(`${ORIGIN}/x`, { headers: { cookie: await cookieOf() } })
    expect(answer.headers.get('cache-control')).toBe('private, max-age=60')
  })
})

describe('while the service is away', () => {
  const gone: AuthHandlerConfig = {
    worker: { fetch: () => Promise.reject(new Error('gone')) },
    secret: SECRET,
    logger: { error() {} },
  }
  function app(): Hono {
    const it = new Hono()
    it.all('/auth/*', authHandler(gone))
    it.get('/middleware', session(gone), (c) => c.text('x'))
    it.get('/function', async (c) => c.json(await getSession(c, gone)))
    it.get('/required', requireSession({}, gone), (c) => c.text('x'))
    return it
  }
  const paths = ['/middleware', '/function', '/required', '/auth/session']

  test.each(paths)('%s is a 503 with Retry-After', async (path) => {
    const headers = { cookie: await cookieOf(400) }
    const answer = await app().request(ORIGIN + path, { headers })
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
    expect(answer.headers.getSetCookie()).toEqual([])
  })

  test.each(['220 mail.example ESMTP\r\n', '{}', '', 'HTTP/9.9 banana\r\n\r\n'])(
    'a Worker that answers %j, which is not HTTP, is a 503 too',
    async (text) => {
      const server = createServer((socket) => {
        socket.on('error', () => {}).end(text, () => socket.destroy())
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const { port } = server.address() as AddressInfo
      const it = new Hono()
      const worker = `http://127.0.0.1:${port}/auth`
      it.all('/auth/*', authHandler({ ...gone, worker }))
      const answer = await it.request(`${ORIGIN}/auth/csrf`)
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
      await new Promise((resolve) => server.close(resolve))
    },
  )

  test.each(paths)('%s goes to the app’s own onError', async (path) => {
    const errors: Error[] = []
    const own = app()
    own.onError((error, c) => {
      errors.push(error)
      return c.text('own', 418)
    })
    const headers = { cookie: await cookieOf(400) }
    expect((await own.request(ORIGIN + path, { headers })).status).toBe(418)
    expect(errors).toEqual([expect.objectContaining({ status: 503 })])
    expect(errors[0]).toBeInstanceOf(WorkerUnavailable)
  })

  test('a token that has not ended is still read', async () => {
    const headers = { cookie: await cookieOf() }
    expect((await app().request(`${ORIGIN}/required`, { headers })).status).toBe(200)
  })
})

describe('a token that another key has signed is one line for each request', () => {
  const other = 'another-secret-of-the-tests-0123456789'
  const quiet = { error() {}, warn() {} }

  test.each([
    ['in process', (more: object) => ({ ...inProcess(), ...more })],
    ['forwarded', (more: object) => ({ worker: binding(), ...more })],
    ['with a key alone', (more: object) => ({ secret: SECRET, ...more })],
  ])('with debug alone: %s', async (_, configOf) => {
    const debug = vi.fn()
    const { cookie } = await mintSession({ secret: other, issuer, user: { id: 'bo' } })
    const ask = async (more: object, header = cookie) => {
      const config = configOf({ logger: { ...quiet, debug }, ...more }) as AuthHandlerConfig
      const app = new Hono().get('/me', async (c) => {
        await getSession(c, config)
        return c.json(await getSession(c, config))
      })
      for (let time = 0; time < 2; time++) {
        const answer = await app.request(`${ORIGIN}/me`, { headers: { cookie: header } })
        expect(await answer.json()).toBeNull()
      }
      return debug.mock.calls.map(([line]) => line)
    }
    expect(await ask({})).toEqual([])
    expect(await ask({ debug: true }, `${NAME}=a.b.c`)).toEqual([])
    expect(await ask({ debug: true })).toEqual(
      Array(2).fill(expect.stringContaining('another key has signed')),
    )
    expect(debug.mock.calls.join()).not.toContain(cookie.split('.')[2])
  })
})
