import { mintSession } from '@latchkey/session/testing'
import { describe, expect, test, vi } from 'vitest'
import { type RequestAuth, WorkerUnavailable, webAuth } from './index.js'
import { Browser, inProcess, modes, NAME, ORIGIN, ofSession, SECRET, silent } from './test-app.js'

type Next = (auth: RequestAuth) => Response | Promise<Response>
const issuer = `${ORIGIN}/auth`
const nameOf = async (auth: RequestAuth) => (await auth())?.user?.name ?? 'nobody'
const sayName: Next = async (auth) => new Response(await nameOf(auth))

/** @param next answers requests for other paths than the auth routes */
function browserOf(config: Parameters<typeof webAuth>[0], next: Next = sayName): Browser {
  const { handle } = webAuth(config)
  return new Browser((request) => handle(request, next))
}

async function minted(more: object = {}): Promise<string> {
  const user = { id: 'bo', name: 'Bo' }
  return (await mintSession({ secret: SECRET, issuer, user, ...more })).cookie
}

describe.each(modes)('%s', (_, config) => {
  test('a person signs in, is read without a call, and signs out for good', async () => {
    const browser = browserOf(config())
    expect(await (await browser.go('/')).text()).toBe('nobody')
    expect((await browser.signIn()).status).toBe(302)
    const answer = await browser.go('/')
    expect(await answer.text()).toBe('ann')
    expect(answer.headers.get('cache-control')).toBe('private, no-store')
    const { cookie } = browser
    await browser.post('/signout')
    expect(browser.cookies.has(NAME)).toBe(false)
    expect(await (await browser.go('/', { headers: { cookie } })).text()).toBe('nobody')
  })

  test.each<[string, Next, string | null]>([
    ['a Response', sayName, 'private, no-store'],
    [
      'a Response with immutable headers',
      async (auth) => {
        await auth()
        return Response.redirect(`${ORIGIN}/elsewhere`)
      },
      'private, no-store',
    ],
    [
      'a Response that is thrown',
      async (auth) => {
        throw new Response(await nameOf(auth))
      },
      'private, no-store',
    ],
    [
      'a public Response, which no shared cache may keep now',
      async (auth) =>
        new Response(await nameOf(auth), { headers: { 'cache-control': 'public, s-maxage=600' } }),
      'private, no-store',
    ],
    [
      'a private Response, as it is',
      async (auth) =>
        new Response(await nameOf(auth), { headers: { 'cache-control': 'private, max-age=9' } }),
      'private, max-age=9',
    ],
  ])('a renewal is one cookie on %s', async (_name, next, cacheControl) => {
    const browser = browserOf(config(), async (auth) => {
      await Promise.all([auth(), auth(), auth.requireSession()])
      return next(auth)
    })
    await browser.signIn()
    await browser.age()
    const answer = await browser.go('/')
    expect(ofSession(answer)).toHaveLength(1)
    expect(answer.headers.get('cache-control')).toBe(cacheControl)
    expect(ofSession(await browser.go('/'))).toEqual([])
  })

  test('attack: an answer without a body that the app gives to all users keeps no cookie of one', async () => {
    const empty = new Response(null, { status: 204, headers: { 'x-app': '1' } })
    const { handle } = webAuth(config())
    const app = (request: Request) => handle(request, (auth) => auth().then(() => empty))
    const [ann, stranger] = [new Browser(app), new Browser(app)]
    await ann.signIn()
    await ann.age()
    const renewed = await ann.go('/')
    expect([renewed.status, renewed.headers.get('x-app'), ofSession(renewed).length]).toEqual([
      204,
      '1',
      1,
    ])
    expect((await stranger.go('/')).headers.getSetCookie()).toEqual([])
    expect([...empty.headers]).toEqual([['x-app', '1']])
  })

  test('a session that is renewed while the body streams is a warning, once', async () => {
    const said: string[] = []
    const logger = { error() {}, warn: (code: string) => void said.push(code) }
    const late: (() => Promise<unknown>)[] = []
    const browser = browserOf({ ...config(), logger }, async (auth) => {
      late.push(auth)
      return new Response('streams')
    })
    await browser.signIn()
    for (let time = 0; time < 3; time++) {
      await browser.age()
      expect(ofSession(await browser.go('/'))).toEqual([])
      expect(await late[time]?.()).toMatchObject({ user: { name: 'ann' } })
    }
    expect(said.filter((code) => code === 'late-cookie')).toEqual(['late-cookie'])
  })

  test('an answer waits for the session that was asked for without `await`, and has its cookie', async () => {
    const browser = browserOf(config(), (auth) => {
      void auth()
      return new Response('streamed')
    })
    await browser.signIn()
    await browser.age()
    expect(ofSession(await browser.go('/'))).toHaveLength(1)
  })

  test('an answer that did not read the session stays as it is, cookie or none', async () => {
    const own = new Response('app')
    const { handle } = webAuth(config())
    const cookie = await minted({ tokenMaxAge: 1 })
    const request = new Request(`${ORIGIN}/style.css`, { headers: { cookie } })
    const answer = await handle(request, () => own)
    expect(answer).toBe(own)
    expect([...answer.headers.keys()]).toEqual(['content-type'])
  })

  test('a form of the app signs in and out, with one 303 that has our cookies', async () => {
    const auth = webAuth(config())
    const browser = new Browser((request) =>
      auth.handle(request, async (own) => {
        const { pathname } = new URL(request.url)
        if (pathname === '/in') return auth.signIn(request, 'credentials', await request.formData())
        if (pathname === '/out') return auth.signOut(request, { redirectTo: '/bye' })
        return sayName(own)
      }),
    )
    const fields = { username: 'ann', password: 'right', redirectTo: '/inbox' }
    const entered = await browser.submit('/in', fields)
    expect([entered.status, entered.headers.get('location')]).toEqual([303, `${ORIGIN}/inbox`])
    expect(entered.headers.get('cache-control')).toBe('private, no-store')
    expect(ofSession(entered)).toHaveLength(1)
    expect(await (await browser.go('/')).text()).toBe('ann')
    const left = await browser.submit('/out')
    expect([left.status, left.headers.get('location')]).toEqual([303, `${ORIGIN}/bye`])
    expect(await (await browser.go('/')).text()).toBe('nobody')
  })
})

describe('forwarded', () => {
  test('a service that is silent is 503 for routes and readers, and touches no cookie', async () => {
    const logger = { error() {}, warn() {} }
    const browser = browserOf({ worker: silent, secret: SECRET, logger })
    browser.cookies.set(NAME, (await minted()).split('=')[1] ?? '')
    await browser.age()
    for (const path of ['/auth/session', '/']) {
      const answer = await browser.go(path)
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
      expect(answer.headers.getSetCookie()).toEqual([])
    }
  })

  test.each<[string, Next]>([
    [
      'does not wait',
      (auth) => {
        void auth.requireSession()
        return new Response('secret')
      },
    ],
    [
      'sends the page all the same',
      (auth) =>
        auth
          .requireSession()
          .catch(() => {})
          .then(() => new Response('secret')),
    ],
    [
      'throws the page',
      (auth) => {
        void auth.requireSession()
        throw new Response('secret')
      },
    ],
  ])(
    'attack: the service is silent, and a handler that demands a session %s: 503',
    async (_, next) => {
      const browser = browserOf({ worker: silent, logger: { error() {}, warn() {} } }, next)
      browser.cookies.set(NAME, (await minted()).split('=')[1] ?? '')
      await browser.age()
      const answer = await browser.go('/')
      expect([answer.status, await answer.text()]).toEqual([
        503,
        expect.not.stringContaining('secret'),
      ])
    },
  )

  test.each([302, 500])(
    'an answer %i of the app’s own stands beside that silence',
    async (status) => {
      const browser = browserOf({ worker: silent, logger: { error() {}, warn() {} } }, (auth) =>
        auth.requireSession().then(
          () => new Response('secret'),
          () => new Response('later', { status }),
        ),
      )
      browser.cookies.set(NAME, (await minted()).split('=')[1] ?? '')
      await browser.age()
      expect((await browser.go('/')).status).toBe(status)
    },
  )

  test('a handler may catch that the service is silent', async () => {
    const browser = browserOf(
      { worker: silent, logger: { error() {}, warn() {} } },
      async (auth) => {
        const found = await auth().catch((error: unknown) => error)
        return new Response(found instanceof WorkerUnavailable ? 'later' : 'nobody')
      },
    )
    browser.cookies.set(NAME, (await minted()).split('=')[1] ?? '')
    await browser.age()
    expect(await (await browser.go('/')).text()).toBe('later')
  })
})

describe('routes', () => {
  test('are those below the base path; every other path is the app’s, or 404 without one', async () => {
    const { handle } = webAuth(inProcess())
    const at = (path: string, ...rest: [Next?]) => handle(new Request(ORIGIN + path), ...rest)
    expect((await at('/auth/csrf')).status).toBe(200)
    for (const path of [
      '/',
      '/auth',
      '/auth/nothing',
      '/x/auth/csrf',
      '/auth//csrf',
      '/auth/%63srf',
    ])
      expect([path, (await at(path)).status]).toEqual([path, 404])
    expect(await (await at('/auth/nothing', () => new Response('app'))).text()).toBe('app')
  })

  test.each([
    ['basePath', { basePath: '/api/auth' }, {}],
    ['AUTH_URL', {}, { AUTH_URL: `${ORIGIN}/api/auth` }],
  ])('have their base path from %s', async (_, more, env) => {
    const { handle } = webAuth(() => inProcess(more))
    const at = (path: string) => handle(new Request(ORIGIN + path), undefined, { env })
    expect((await at('/api/auth/csrf')).status).toBe(200)
    expect((await at('/auth/csrf')).status).toBe(404)
  })

  test('a body that is a stream is passed on, and the app’s answer may be one', async () => {
    const browser = browserOf(inProcess(), async (auth) => {
      const name = await nameOf(auth)
      const parts = ['Hello ', name]
      return new Response(
        new ReadableStream<Uint8Array>({
          pull(controller) {
            const part = parts.shift()
            if (part === undefined) controller.close()
            else controller.enqueue(new TextEncoder().encode(part))
          },
        }),
      )
    })
    await browser.signIn()
    await browser.age()
    const answer = await browser.go('/')
    expect(ofSession(answer)).toHaveLength(1)
    expect(await answer.text()).toBe('Hello ann')
  })
})

test('on Bun no body is looked at, which would cost a text its type', async () => {
  vi.stubGlobal('Bun', {})
  const text = new Response('app')
  text.headers.delete('content-type')
  Object.defineProperty(text, 'body', { get: () => expect.fail('The body was looked at.') })
  const { handle } = webAuth(inProcess())
  const answer = await handle(new Request(ORIGIN), (auth) => auth().then(() => text))
  vi.unstubAllGlobals()
  expect([await answer.text(), answer.headers.get('cache-control')]).toEqual([
    'app',
    'private, no-store',
  ])
  expect(text.headers.has('cache-control')).toBe(false)
})

describe('a mistake in the configuration', () => {
  test('is thrown at once where the environment is known', () => {
    expect(() => webAuth(inProcess({ secret: 'short' }))).toThrow('32')
    const both = { ...inProcess(), worker: silent } as never
    expect(() => webAuth(both)).toThrow('cannot be used together')
  })

  test('is named if a function returns nothing', async () => {
    const error = vi.spyOn(console, 'error').mockImplementation(() => {})
    const { handle } = webAuth(() => undefined as never)
    const answer = await handle(new Request(`${ORIGIN}/auth/csrf`))
    expect(answer.status).toBe(500)
    expect(error.mock.calls.join()).toContain('returns no configuration')
    error.mockRestore()
  })

  test('is logged if a function makes it, and 500 at the routes alone', async () => {
    const error = vi.spyOn(console, 'error').mockImplementation(() => {})
    const { handle } = webAuth(() => inProcess({ secret: 'short' }))
    const answer = await handle(new Request(`${ORIGIN}/auth/csrf`))
    expect([answer.status, await answer.json()]).toMatchObject([500, { error: 'Configuration' }])
    expect(error.mock.calls.join()).toContain('SecretError')
    error.mockRestore()
    expect((await handle(new Request(`${ORIGIN}/`), () => new Response('app'))).status).toBe(200)
  })
})

describe('requireSession', () => {
  const guarded = async (auth: RequestAuth) => {
    const { user } = await auth.requireSession({ redirectTo: '/login' })
    return new Response(`secret of ${user?.name}`)
  }

  test('asks for a fresh and a strong sign-in', async () => {
    const browser = browserOf(inProcess(), async (auth) => {
      expect(await auth({ acr: '2' })).toBeNull()
      await auth.requireSession({ maxAge: 60 })
      return new Response('paid')
    })
    await browser.signIn()
    expect(await (await browser.go('/pay')).text()).toBe('paid')
    await browser.age(60)
    const page = await browser.go('/pay')
    expect(page.headers.get('location')).toBe('/auth/signin?maxAge=60&callbackUrl=%2Fpay')
    const post = await browser.go('/pay', { method: 'POST' })
    expect([post.status, post.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringMatching(/^Bearer error="insufficient_user_authentication", max_age="60"/),
    ])
  })

  test('attack: an option that is misspelled lets nothing pass, also without `await`', async () => {
    const browser = browserOf(inProcess(), (auth) => {
      void auth.requireSession({ maxage: 1 } as never)
      return new Response('open')
    })
    await expect(browser.go('/')).rejects.toThrow('There is no option `maxage`.')
  })

  test('rejects an option that is misspelled', async () => {
    const browser = browserOf(inProcess(), (auth) =>
      auth.requireSession({ maxage: 1 } as never).then(() => new Response('open')),
    )
    await browser.signIn()
    await expect(browser.go('/')).rejects.toThrow('There is no option `maxage`.')
  })

  test.each([
    '//login',
    '/login/',
    '/%6cogin',
    '/Login',
    '/login;x',
    '/./login/..;/inbox',
    '/inbox/..%2flogin',
    '/inbox%3f/../login%00',
    '///evil.example/login',
  ])('attack: the spelling %s of the login page does not pass', async (path) => {
    const answer = await browserOf(inProcess(), guarded).go(path)
    expect([answer.status, await answer.text()]).toEqual([302, ''])
    expect(answer.headers.get('location')).toMatch(/^\/login\?callbackUrl=%2F(?!%2F)/)
  })

  test('the login page itself passes, without a user', async () => {
    const answer = await browserOf(inProcess(), guarded).go('/login')
    expect([answer.status, await answer.text()]).toEqual([200, 'secret of undefined'])
  })

  test.each<[string, Next]>([
    ['makes a 500 of it', (auth) => guarded(auth).catch(() => new Response('', { status: 500 }))],
    [
      'throws an error of its own',
      (auth) =>
        guarded(auth).catch((cause) => {
          throw new Error('H3Error', { cause })
        }),
    ],
    [
      'reads the body of what is thrown',
      (auth) => guarded(auth).catch(async (thrown: Response) => new Response(await thrown.text())),
    ],
    [
      'sends the page all the same',
      async (auth) => {
        await guarded(auth).catch(() => {})
        return new Response('secret')
      },
    ],
    [
      'forgets to wait',
      (auth) => {
        void guarded(auth).catch(() => {})
        return new Response('secret')
      },
    ],
    [
      'neither waits nor catches',
      (auth) => {
        void auth.requireSession()
        return new Response('secret')
      },
    ],
  ])('attack: the refusal is the answer of a framework that %s', async (_, next) => {
    const answer = await browserOf(inProcess(), next).go('/inbox', {
      headers: { accept: 'application/json' },
    })
    expect([answer.status, await answer.json()]).toEqual([401, { error: 'SessionRequired' }])
  })

  test('a handler that gives no answer is an error', async () => {
    const browser = browserOf(inProcess(), () => undefined as never)
    await expect(browser.go('/')).rejects.toThrow('no Response')
  })

  test('other errors pass', async () => {
    const fault = new Error('of the app')
    const browser = browserOf(inProcess(), () => Promise.reject(fault))
    await expect(browser.go('/')).rejects.toBe(fault)
  })
})

test('attack: our own request headers from outside do not reach the Worker', async () => {
  let seen = new Headers()
  const worker = {
    fetch(_url: string, init?: RequestInit) {
      seen = new Headers(init?.headers)
      return Promise.resolve(Response.json({ csrfToken: 'x' }))
    },
  }
  const forward = webAuth({ worker, secret: SECRET })
  const headers = {
    'x-auth-proof': 'forged',
    'x-forwarded-for': '6.6.6.6',
    'cf-connecting-ip': '6.6.6.6',
    forwarded: 'for=6.6.6.6',
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'https',
  }
  await forward.handle(new Request(`${ORIGIN}/auth/csrf`, { headers }), undefined, {
    client: '192.0.2.1',
  })
  expect(Object.fromEntries(seen)).toMatchObject({
    'x-forwarded-host': 'localhost:3000',
    'x-forwarded-proto': 'http',
    'x-forwarded-for': '192.0.2.1',
    'cf-connecting-ip': '192.0.2.1',
  })
  expect([seen.get('x-auth-proof'), seen.get('forwarded')]).toEqual([null, null])
})
