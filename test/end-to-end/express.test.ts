import { getSession, MiddlewareAuth, type MiddlewareAuthConfig } from '@latchkey/express'
import { mintSession } from '@latchkey/session/testing'
import type { Express, Request, Response } from 'express5'
import { afterEach, describe, expect, test } from 'vitest'
import {
  cookieOf,
  csrf,
  form,
  listen,
  modes,
  type Running,
  SECRET,
  signIn,
  signOut,
  versions,
} from '../express/support.ts'

/** One suite for both versions of Express and both ways to serve the routes, on real sockets. */
const cases = versions.flatMap((version) => modes.map((mode) => ({ ...version, mode })))
const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

describe.each(cases)('$name, $mode.name', ({ express, wildcard, mode }) => {
  async function start(
    build: (app: Express, config: MiddlewareAuthConfig) => void,
  ): Promise<Running & { config: MiddlewareAuthConfig }> {
    const { config, stop } = await mode.start()
    const app = express()
    build(app, config)
    app.use((_req: Request, res: Response) => void res.status(404).send('the app has no such page'))
    const running = await listen(app)
    stops.push(running.stop, stop)
    return { ...running, config }
  }

  function whoami(config?: MiddlewareAuthConfig) {
    return async (req: Request, res: Response) => {
      res.cookie('theme', 'dark')
      res.json(await getSession(req, config))
    }
  }

  /** An app with the auth routes at /auth, and the session as JSON at /me. */
  function plain(app: Express, config: MiddlewareAuthConfig) {
    app.use(`/auth${wildcard}`, MiddlewareAuth(config))
    app.get('/me', whoami(config))
  }

  test('signs in, reads the session, and signs out for good', async () => {
    const app = await start(plain)
    const { answer, cookie } = await signIn(app, { fields: { callbackUrl: '/me' } })
    expect(answer.status).toBe(302)
    expect(answer.headers.location).toBe(`http://127.0.0.1:${app.port}/me`)
    expect(answer.cookies.length).toBeGreaterThan(1)
    const me = await app.ask('/me', { headers: { cookie } })
    expect(JSON.parse(me.text).user).toMatchObject({ name: 'ann' })
    expect(me.cookies).toEqual(['theme=dark; Path=/'])
    const out = await signOut(app, cookie)
    expect(out.status).toBe(302)
    expect(cookieOf(out)).not.toContain('session-token')
    const after = await app.ask('/me', { headers: { cookie } })
    if (mode.name === 'in process') expect(after.text).toBe('null')
    const online = await getSessionOnline(app, cookie)
    expect(online).toBe('null')
  })

  async function getSessionOnline({ config }: { config: MiddlewareAuthConfig }, cookie: string) {
    const app = express()
    app.get('/me', (req, res, next) => {
      getSession(req, { ...config, online: true }).then((session) => res.json(session), next)
    })
    const running = await listen(app)
    stops.push(running.stop)
    const host = cookie && new URL(`http://${hostOf(cookie)}`).host
    return (await running.ask('/me', { headers: { cookie, host } })).text
  }

  /** The issuer stays that of the token, though the app runs on another port. */
  function hostOf(cookie: string): string {
    const token = /session-token=([^;]+)/.exec(cookie)?.[1] ?? ''
    const payload = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()
    return new URL(JSON.parse(payload).iss).host
  }

  test.each([
    ['a plain mount', '/auth', (app: Express, auth: never) => app.use('/auth', auth)],
    ['a wildcard', '/auth', (app: Express, auth: never) => app.use(`/auth${wildcard}`, auth)],
    ['all', '/auth', (app: Express, auth: never) => app.all(`/auth${wildcard}`, auth)],
    [
      'a router in a router',
      '/app/auth',
      (app: Express, auth: never) => {
        const router = express.Router()
        router.use('/auth', auth)
        app.use('/app', router)
      },
    ],
    [
      'a wildcard in a router with the parameters of its parent',
      '/acme/auth',
      (app: Express, auth: never) => {
        const router = express.Router({ mergeParams: true })
        router.use(`/auth${wildcard}`, auth)
        app.use('/:tenant', router)
      },
    ],
    [
      'a name of an action',
      '/signin/auth',
      (app: Express, auth: never) => app.use(`/signin/auth${wildcard}`, auth),
    ],
    [
      'two names of actions',
      '/callback/session',
      (app: Express, auth: never) => app.use('/callback/session', auth),
    ],
    ['the root', '/auth', (app: Express, auth: never) => app.use(auth)],
  ])('is mounted by %s', async (_name, base, mount) => {
    const app = await start((app, config) => {
      const at = mode.name === 'forwarded' && base !== '/auth' ? undefined : config
      if (at) mount(app, MiddlewareAuth(at) as never)
      app.get('/me', whoami(config))
    })
    if (mode.name === 'forwarded' && base !== '/auth') return
    const { text } = await app.ask(`${base}/providers`)
    const { credentials } = JSON.parse(text)
    expect(credentials.callbackUrl).toBe(`${app.url}${base}/callback/credentials`)
    // A session is read before the first request to the routes: another process may have made it.
    const issuer = app.url + base
    const { cookie } = await mintSession({ secret: SECRET, issuer, user: { id: 'bo', name: 'bo' } })
    expect(JSON.parse((await app.ask('/me', { headers: { cookie } })).text).user.name).toBe('bo')
    const signedIn = await signIn(app, { base })
    const me = await app.ask('/me', { headers: { cookie: signedIn.cookie } })
    expect(JSON.parse(me.text).user.name).toBe('ann')
  })

  test('answers a method that a route does not know with 405', async () => {
    const app = await start(plain)
    for (const method of ['PUT', 'DELETE', 'TRACE', 'OPTIONS']) {
      const answer = await app.ask('/auth/csrf', { method })
      expect([method, answer.status, answer.headers.allow]).toEqual([method, 405, 'GET, HEAD'])
    }
    const head = await app.ask('/auth/csrf', { method: 'HEAD' })
    expect([head.status, head.text, head.cookies]).toEqual([200, '', []])
  })

  test('takes bodies that the app has parsed, and those that it has not', async () => {
    const app = await start((app, config) => {
      app.use('/json', express.json())
      app.use('/form', express.urlencoded({ extended: true }))
      app.use('/simple', express.urlencoded({ extended: false }))
      app.use('/raw', express.raw({ type: () => true }))
      app.use('/text', express.text({ type: () => true }))
      app.use('/both', express.json(), express.urlencoded({ extended: true }))
      const auth = MiddlewareAuth({ ...config, basePath: '/auth' } as MiddlewareAuthConfig)
      for (const way of ['json', 'form', 'simple', 'raw', 'text', 'both', 'none']) {
        app.use(`/${way}`, (req, _res, next) => {
          req.url = `/auth${req.url}`
          next()
        })
        app.use(`/${way}/auth`, auth)
      }
    })
    const answers: Record<string, unknown> = {}
    for (const way of ['json', 'form', 'simple', 'raw', 'text', 'both', 'none']) {
      const { csrfToken, cookie } = await csrf(app, `/${way}`)
      const fields = { csrfToken, username: 'änn & bö', password: 'right' }
      const json = { 'content-type': 'application/json; charset=utf-8', cookie }
      const formed = form(fields)
      const kinds = {
        json: { method: 'POST', headers: json, body: JSON.stringify(fields) },
        form: { ...formed, headers: { ...formed.headers, cookie } },
      }
      for (const [kind, sent] of Object.entries(kinds)) {
        const answer = await app.ask(`/${way}/callback/credentials`, sent)
        answers[`${way} ${kind}`] = cookieOf(answer).includes('session-token')
      }
    }
    expect(Object.entries(answers).filter(([, isIn]) => !isIn)).toEqual([])
  })
})
