import { AuthError } from '@latchkey/session'
import { type MintOptions, mintSession } from '@latchkey/session/testing'
import { Hono } from 'hono'
import { describe, expect, test, vi } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { type AuthHandlerConfig, authHandler, requireSession, session } from './index.js'
import { binding, inProcess, modes, ORIGIN, SECRET } from './test-app.js'

/** The clock stands still, so that a second more or less is the test's. */
const NOW = 1_800_000_000
clock({ start: NOW * 1000 })

/** A browser with a sign-in of this age, in seconds. */
async function cookieOf(age: number, more: Partial<MintOptions> = {}): Promise<string> {
  const issuer = `${ORIGIN}/auth`
  return (await mintSession({ secret: SECRET, issuer, authTime: NOW - age, ...more })).cookie
}

function appWith(config: AuthHandlerConfig, base = '/auth'): Hono {
  const app = new Hono()
  app.all(`${base}/*`, authHandler(config))
  app.all('/fresh', requireSession({ maxAge: 300, redirectTo: '/login' }, config), (c) =>
    c.text(`fresh ${c.var.session?.user?.id}`),
  )
  app.all('/strong', requireSession({ acr: '2' }, config), (c) => c.text('strong'))
  app.all('/any', requireSession({}, config), (c) => c.text('any'))
  return app
}

describe.each(modes)('a session, %s', (_, config) => {
  test.each([
    ['of now', 0, 200],
    ['of exactly maxAge', 300, 200],
    ['one second older', 301, 302],
    ['that the service’s clock begins in the future', -30, 200],
  ])('%s', async (_name, age, status) => {
    const cookie = await cookieOf(age)
    const app = appWith(config())
    const answer = await app.request(`${ORIGIN}/fresh?a=b&c`, { headers: { cookie } })
    expect(answer.status).toBe(status)
    expect(answer.headers.get('cache-control')).toBe('private, no-store')
    if (status === 200) expect(await answer.text()).toBe('fresh test-user')
    else {
      const location = '/auth/signin?maxAge=300&callbackUrl=%2Ffresh%3Fa%3Db%26c'
      expect(answer.headers.get('location')).toBe(location)
    }
    expect((await app.request(`${ORIGIN}/any`, { headers: { cookie } })).status).toBe(200)
  })

  test.each([
    [['credentials'], 302],
    [['credentials', 'otp', 'mfa'], 200],
    [['passkey', 'hwk', 'user'], 200],
    [['passkey', 'hwk'], 302],
    [['mfa'], 302],
    [['github', 'passkey', 'user'], 302],
  ])('by the methods %j', async (amr, status) => {
    const headers = { cookie: await cookieOf(0, { amr }) }
    const answer = await appWith(config()).request(`${ORIGIN}/strong`, { headers })
    expect(answer.status).toBe(status)
    if (status === 302) {
      expect(answer.headers.get('location')).toBe('/auth/signin?acr=2&callbackUrl=%2Fstrong')
    }
  })
})

test('no call decides it', async () => {
  const asked: string[] = []
  const worker = binding()
  const config = {
    worker: {
      fetch(url: string, init?: RequestInit) {
        asked.push(new URL(url).pathname)
        return worker.fetch(url, init)
      },
    },
    secret: SECRET,
  }
  const app = appWith(config)
  const headers = { cookie: await cookieOf(301) }
  await app.request(`${ORIGIN}/any`, { headers })
  const before = asked.length
  for (const method of ['GET', 'HEAD', 'POST']) {
    await app.request(`${ORIGIN}/fresh`, { method, headers })
    await app.request(`${ORIGIN}/strong`, { method, headers })
  }
  expect(asked.slice(before)).toEqual([])
})

describe('a request that changes something', () => {
  test('never runs, is never repeated, and gets an answer that names the needs', async () => {
    const config = inProcess()
    let orders = 0
    const app = new Hono()
    app.all('/auth/*', authHandler(config))
    app.use('/orders', requireSession({ maxAge: 300, acr: '1' }, config))
    app.post('/orders', (c) => c.text(String(++orders)))
    const headers = { cookie: await cookieOf(301), referer: `${ORIGIN}/cart?n=1` }
    const answer = await app.request(`${ORIGIN}/orders`, { method: 'POST', headers, body: 'x' })
    expect(answer.status).toBe(401)
    expect(answer.headers.has('location')).toBe(false)
    expect(answer.headers.get('www-authenticate')).toBe(
      'Bearer error="insufficient_user_authentication", max_age="300", acr_values="1", error_description="More recent authentication is required"',
    )
    expect(await answer.json()).toEqual({
      error: 'FreshSignInRequired',
      maxAge: 300,
      acr: '1',
      url: `${ORIGIN}/auth/signin?maxAge=300&acr=1&callbackUrl=%2Fcart%3Fn%3D1`,
    })
    expect(orders).toBe(0)
    const fresh = { cookie: await cookieOf(300) }
    await app.request(`${ORIGIN}/orders`, { method: 'POST', headers: fresh, body: 'x' })
    expect(orders).toBe(1)
  })

  test('does not run by HEAD or JSON either', async () => {
    const app = appWith(inProcess())
    const cookie = await cookieOf(301)
    const head = await app.request(`${ORIGIN}/fresh`, { method: 'HEAD', headers: { cookie } })
    expect([head.status, await head.text()]).toEqual([302, ''])
    const headers = { cookie, accept: 'application/json' }
    const json = await app.request(`${ORIGIN}/fresh`, { headers })
    expect([json.status, await json.json()]).toEqual([
      401,
      { error: 'FreshSignInRequired', maxAge: 300, url: `${ORIGIN}/auth/signin?maxAge=300` },
    ])
  })
})

test('a request without a session goes to redirectTo, and gets no challenge', async () => {
  const app = appWith(inProcess())
  for (const cookie of [
    '',
    await cookieOf(0, { secret: SECRET.replaceAll('s', 'x') }),
    await cookieOf(0, { maxAge: -1 }),
  ]) {
    const page = await app.request(`${ORIGIN}/fresh`, { headers: { cookie } })
    expect(page.headers.get('location')).toBe('/login?callbackUrl=%2Ffresh')
    const post = await app.request(`${ORIGIN}/fresh`, { method: 'POST', headers: { cookie } })
    expect([post.status, await post.json()]).toEqual([401, { error: 'SessionRequired' }])
    expect(post.headers.has('www-authenticate')).toBe(false)
  }
})

describe('the sign-in page is the service’s', () => {
  const location = async (app: Hono, path: string, base: string, host = ORIGIN) => {
    const cookie = await cookieOf(301, { issuer: host + base })
    const answer = await app.request(host + path, { headers: { cookie } })
    return answer.headers.get('location')
  }

  test('at the mount', async () => {
    expect(await location(appWith(inProcess(), '/login'), '/fresh', '/login')).toBe(
      '/login/signin?maxAge=300&callbackUrl=%2Ffresh',
    )
  })

  test('of a sub-app', async () => {
    const config = inProcess()
    const inner = new Hono()
    inner.all('/id/*', authHandler(config))
    inner.get('/pay', requireSession({ maxAge: 300 }, config), (c) => c.text('paid'))
    const app = new Hono().route('/app', inner)
    expect(await location(app, '/app/pay', '/app/id')).toBe(
      '/app/id/signin?maxAge=300&callbackUrl=%2Fapp%2Fpay',
    )
  })

  test('where basePath says', async () => {
    const app = appWith(inProcess({ basePath: '/id' } as never), '/id')
    expect(await location(app, '/fresh', '/id')).toBe('/id/signin?maxAge=300&callbackUrl=%2Ffresh')
  })

  test('at the path of AUTH_URL', async () => {
    vi.stubEnv('AUTH_URL', 'https://app.example/sign/in')
    try {
      const app = appWith(inProcess(), '/sign/in')
      expect(await location(app, '/fresh', '/sign/in', 'https://app.example')).toBe(
        '/sign/in/signin?maxAge=300&callbackUrl=%2Ffresh',
      )
    } finally {
      vi.unstubAllEnvs()
    }
  })

  test('by the Worker that the app forwards to', async () => {
    const app = appWith(
      { worker: binding({ basePath: '/id' }), basePath: '/id', secret: SECRET },
      '/id',
    )
    expect(await location(app, '/fresh', '/id')).toBe('/id/signin?maxAge=300&callbackUrl=%2Ffresh')
  })

  test('by a configuration that is made for each request', async () => {
    const config = inProcess()
    const app = new Hono()
    const mounts = { a: authHandler(() => config), b: authHandler(() => inProcess()) }
    app.all('/a/*', mounts.a)
    app.all('/b/*', mounts.b)
    app.get('/pay', requireSession({ maxAge: 300 }, config), (c) => c.text('paid'))
    expect(await location(app, '/pay', '/a')).toBe('/a/signin?maxAge=300&callbackUrl=%2Fpay')
    expect(await location(app, '/pay', '/b')).toBe('/b/signin?maxAge=300&callbackUrl=%2Fpay')
  })

  test('never of another site', async () => {
    const config = inProcess()
    const app = new Hono().use(requireSession({ maxAge: 300 }, config))
    for (const path of ['//evil.example/pay', '/\\evil.example', '/pay?x=\\']) {
      const found = await location(app, path, '/auth')
      const { origin, searchParams } = new URL(found ?? '', ORIGIN)
      expect(origin).toBe(ORIGIN)
      expect(searchParams.get('callbackUrl')).toMatch(/^\/(?![/\\])/)
    }
    for (const base of ['//evil.example', '/a%2F..', '/\\evil', '/']) {
      const found = await location(app, '/pay', base)
      expect(found ?? '/login').toMatch(/^\/(auth\/signin|login)/)
    }
  })
})

test.each([
  [{ maxAge: -1 }, '`maxAge`'],
  [{ maxAge: 1.5 }, '`maxAge`'],
  [{ acr: '3' }, '`acr`'],
  [{ acr: 2 }, '`acr`'],
  [{ max_age: 300 }, '`max_age`'],
])('%j is refused when the middleware is made', (options, named) => {
  expect(() => requireSession(options as object)).toThrow(named)
  expect(() => requireSession(options as object)).toThrow(AuthError)
})

test('later handlers have the session, and session() asks nothing', async () => {
  const config = inProcess()
  const app = new Hono()
  app.get('/', session(config), (c) => c.text(c.var.session?.user?.id ?? 'nobody'))
  const answer = await app.request(ORIGIN, { headers: { cookie: await cookieOf(1e6) } })
  expect(await answer.text()).toBe('test-user')
})
