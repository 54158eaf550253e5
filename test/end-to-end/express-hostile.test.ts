import { connect } from 'node:net'
import {
  getSession,
  MiddlewareAuth,
  type MiddlewareAuthConfig,
  requireSession,
} from '@latchkey/express'
import type { Express } from 'express5'
import { afterEach, describe, expect, test, vi } from 'vitest'
import {
  csrf,
  form,
  inProcess,
  listen,
  SECRET,
  signIn,
  startApp,
  versions,
} from '../express/support.ts'

/** Attacks by name, each against both versions of Express. */
const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  vi.unstubAllEnvs()
  for (const stop of stops.splice(0)) await stop()
})

describe.each(versions)('$name', ({ express, wildcard }) => {
  const start = (config: MiddlewareAuthConfig, build?: (app: Express) => void) =>
    startApp({ express, wildcard }, config, build, stops)

  test('a callbackUrl leads to no other site', async () => {
    const app = await start(inProcess(), (app) => {
      app.use('/members', requireSession({}, inProcess()))
    })
    for (const callbackUrl of [
      'https://evil.example',
      '//evil.example',
      '/\\evil.example',
      '\t//evil.example',
      'javascript:alert(1)',
    ]) {
      const { answer } = await signIn(app, { fields: { callbackUrl } })
      expect(new URL(answer.headers.location ?? '', app.url).host).toBe(`127.0.0.1:${app.port}`)
    }
    for (const path of [
      '//evil.example/members',
      '/members//evil.example',
      '/members\\evil',
      'http://evil.example/members',
    ]) {
      const { status, headers } = await app.ask(path)
      if (status === 302) expect(headers.location).toMatch(/^\/login\?callbackUrl=%2F(?!%2F|%5C)/)
    }
  })

  test('guesses are counted by the client’s address, whatever CF-Connecting-IP a request claims', async () => {
    const app = await start(inProcess())
    const statuses: number[] = []
    for (let count = 0; count < 11; count++) {
      const headers = { 'cf-connecting-ip': `192.0.2.${count}` }
      const { answer } = await signIn(app, { headers, fields: { password: 'guess' } })
      statuses.push(answer.status)
    }
    expect(statuses).toEqual([...Array(10).fill(302), 429])
  })

  test('no other spelling of a path reaches an auth route', async () => {
    const config = inProcess()
    const app = await start(config, (app) => {
      app.use(requireSession({ redirectTo: '/login' }, config))
      app.use(express.static(import.meta.dirname, { dotfiles: 'allow' }))
      app.use((_req, res) => void res.send('secret'))
    })
    const paths = [
      '/express-hostile.test.ts',
      '/EXPRESS',
      '//express',
      '/%65xpress',
      '/./express',
      '/a/../b',
      '/LOGIN',
      '/login/',
      '/login/x',
      '//login',
      '/%6cogin',
      '/login;a',
      '/x?/login',
    ]
    for (const path of paths) {
      const answer = await app.ask(path)
      expect([path, answer.status]).toEqual([path, 302])
    }
    expect((await app.ask('/login?error=x')).text).toBe('secret')
  })

  test('a body that pollutes prototypes is a body like any other', async () => {
    const config = inProcess()
    const app = await start(config, (app) => {
      app.use(express.json(), express.urlencoded({ extended: true }))
    })
    const { csrfToken, cookie } = await csrf(app)
    const nasty = `{"csrfToken":"${csrfToken}","__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"toJSON":1,"username":"ann","password":"right"}`
    const headers = { 'content-type': 'application/json', cookie }
    const answer = await app.ask('/auth/callback/credentials', {
      method: 'POST',
      headers,
      body: nasty,
    })
    expect(answer.status).toBe(302)
    const sent = form({
      csrfToken,
      '__proto__[polluted]': 'x',
      'constructor[prototype][polluted]': 'x',
    })
    await app.ask('/auth/callback/credentials', { ...sent, headers: { ...sent.headers, cookie } })
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })

  test.each([true, false])(
    'a body of more than 64 KiB is refused, and one of 64 is read (parsed: %s)',
    async (isParsed) => {
      const app = await start(inProcess(), (app) => {
        if (isParsed) app.use(express.urlencoded({ extended: false, limit: '1mb' }))
      })
      const { csrfToken, cookie } = await csrf(app)
      const base = new URLSearchParams({
        csrfToken,
        username: 'ann',
        password: 'right',
        pad: '',
      }).toString()
      const post = (body: string) =>
        app.ask('/auth/callback/credentials', {
          method: 'POST',
          headers: { 'content-type': 'application/x-www-form-urlencoded', cookie },
          body,
        })
      expect((await post(base.padEnd(64 * 1024, 'x'))).status).toBe(302)
      expect((await post(base.padEnd(64 * 1024 + 1, 'x'))).status).toBe(413)
      expect((await post(base.padEnd(900_000, 'x'))).status).toBe(413)
      const twice = await post(`${base}&username=bo`)
      expect(twice.status).toBe(400)
    },
  )

  test('a client that disconnects in the middle breaks nothing', async () => {
    const errors: unknown[] = []
    const app = await start(inProcess(), (app) => {
      app.use((req, _res, next) => {
        req.on('error', (error) => errors.push(error))
        next()
      })
    })
    const unhandled: unknown[] = []
    const note = (reason: unknown) => void unhandled.push(reason)
    process.on('unhandledRejection', note).on('uncaughtException', note)
    for (let index = 0; index < 20; index++) {
      const socket = connect(app.port, '127.0.0.1')
      socket.on('error', () => {})
      socket.write(
        `POST /auth/callback/credentials HTTP/1.1\r\nHost: 127.0.0.1:${app.port}\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n{"a":`,
      )
      await new Promise((resolve) => setTimeout(resolve, index))
      socket.destroy()
    }
    await new Promise((resolve) => setTimeout(resolve, 100))
    process.off('unhandledRejection', note).off('uncaughtException', note)
    expect(unhandled).toEqual([])
    expect((await app.ask('/auth/csrf')).status).toBe(200)
  })

  test('interleaved requests to two mounts with different configs share nothing', async () => {
    const app = express()
    const staff = inProcess({
      secret: `${SECRET}-staff`,
      cookies: { sessionToken: { name: 'staff' } },
    })
    const people = inProcess({
      secret: `${SECRET}-people`,
      cookies: { sessionToken: { name: 'people' } },
    })
    app.use(`/staff/auth${wildcard}`, MiddlewareAuth(staff))
    app.use('/people/auth', MiddlewareAuth(people))
    app.get('/who', async (req, res) => {
      const [one, two] = await Promise.all([getSession(req, staff), getSession(req, people)])
      res.json([one?.user?.name, two?.user?.name])
    })
    const running = await listen(app)
    stops.push(running.stop)
    const one = await signIn(running, { base: '/staff/auth', fields: { username: 'sue' } })
    const two = await signIn(running, { base: '/people/auth', fields: { username: 'pam' } })
    const jars = [one.cookie, two.cookie, `${one.cookie}; ${two.cookie}`]
    const expected = [
      ['sue', null],
      [null, 'pam'],
      ['sue', 'pam'],
    ]
    const answers = await Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        const cookie = jars[index % 3] ?? ''
        if (index % 4 === 3) {
          const base = index % 8 === 3 ? '/staff/auth' : '/people/auth'
          const { text } = await running.ask(`${base}/session`, { headers: { cookie } })
          return JSON.parse(text)?.user?.name ?? null
        }
        return JSON.parse((await running.ask('/who', { headers: { cookie } })).text)
      }),
    )
    const wanted = answers.map((_, index) => {
      const both = expected[index % 3] ?? []
      return index % 4 === 3 ? both[index % 8 === 3 ? 0 : 1] : both
    })
    expect(answers).toEqual(wanted)
    const swapped = one.cookie.replace('staff=', 'people=')
    const stolen = await running.ask('/who', { headers: { cookie: swapped } })
    expect(JSON.parse(stolen.text)).toEqual([null, null])
  })
})

test('providers and a worker together are refused at the start', () => {
  const both = { ...inProcess(), worker: 'https://example.com/auth' }
  // @ts-expect-error: an app answers the routes itself or forwards them, never both
  expect(() => MiddlewareAuth(both)).toThrow('cannot be used together')
  vi.stubEnv('AUTH_WORKER_URL', 'https://example.com/auth')
  expect(() => MiddlewareAuth(inProcess())).toThrow('AUTH_WORKER_URL')
  vi.stubEnv('AUTH_WORKER_URL', '')
  expect(() => MiddlewareAuth({})).toThrow('AUTH_WORKER_URL')
  expect(() => MiddlewareAuth(inProcess({ secret: 'short' }))).toThrow('32 characters')
  expect(() => MiddlewareAuth(inProcess({ basePath: 'auth' }))).toThrow('base path')
})
