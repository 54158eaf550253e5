import { mintSession } from '@latchkey/session/testing'
import { authjs } from '@latchkey/worker/migrate'
import { memoryStore } from '@latchkey/worker/stores/memory'
import type express5 from 'express5'
import type { Express } from 'express5'
import { decodeJwt } from 'jose'
import { afterAll, describe, expect, test } from 'vitest'
import {
  cookieOf,
  listen,
  type Running,
  SECRET,
  signOut,
  versions,
} from '../../../test/express/support.js'
import { authjsCookies, headerOf, OLD_SECRET } from '../../../test/support/old-cookies.js'
import { getSession, type InProcessConfig, MiddlewareAuth } from './index.js'

const until = new Date(Date.now() + 86_400_000)
const stops: (() => Promise<void>)[] = []
afterAll(() => Promise.all(stops.map((stop) => stop())))

type Middleware = ReturnType<typeof MiddlewareAuth>

/** Ways to mount the auth routes at /api/auth. Does Express tell the middleware where that is? */
const mounts: [string, boolean, (app: Express, make: typeof express5, auth: Middleware) => void][] =
  [
    ['app.use', true, (app, _, auth) => app.use('/api/auth', auth)],
    ['a wildcard of Express 4', true, (app, _, auth) => app.use('/api/auth/*', auth)],
    ['a wildcard of Express 5', true, (app, _, auth) => app.use('/api/auth/{*rest}', auth)],
    [
      'an app in an app',
      true,
      (app, make, auth) =>
        app.use(
          '/api',
          make()
            .use('/v1', (_q, _s, next) => next())
            .use('/auth', auth),
        ),
    ],
    ['a router', false, (app, make, auth) => app.use('/api', make.Router().use('/auth', auth))],
    [
      'an app behind a router',
      false,
      (app, make, auth) => {
        app.use(make.Router().use('/api', make().use('/auth', auth)))
      },
    ],
  ]

function configOf(store = memoryStore(), warnings: string[] = []): InProcessConfig {
  const logger = { error() {}, warn: (code: string) => void warnings.push(code), info() {} }
  const migrateFrom = [authjs({ secret: OLD_SECRET, until })]
  return { providers: [], secret: SECRET, logger, migrateFrom, store }
}

/** A process of its own, as far as the adapter knows: it has a configuration of its own. */
async function start(
  make: () => Express,
  config: InProcessConfig,
  mount: (app: Express, auth: Middleware) => void,
) {
  const app = make()
  mount(app, MiddlewareAuth(config))
  app.get('/me', (req, res, next) => {
    getSession(req, config).then((session) => res.json(session), next)
  })
  app.get('/asked', (req, res, next) => {
    getSession(req, { ...config, online: true }).then((session) => res.json(session), next)
  })
  const running = await listen(app)
  stops.push(running.stop)
  return running
}

const names = async (app: Running, path: string, cookie: string) =>
  JSON.parse((await app.ask(path, { headers: { cookie, host: 'localhost:3000' } })).text)?.user
    ?.name

describe.each(versions)('$name', ({ name, express }) => {
  const other = name === 'Express 4' ? 'a wildcard of Express 5' : 'a wildcard of Express 4'
  describe.each(mounts.filter(([how]) => how !== other))(
    'mounted at /api/auth by %s',
    (_, isTold, mount) => {
      const visit = { host: 'localhost:3000' }

      test('attack: a copy of a cookie that moved in before the first auth route outlives the sign-out', async () => {
        const store = memoryStore()
        const warnings: string[] = []
        const at = (app: Express, auth: Middleware) => mount(app, express, auth)
        const one = await start(express, configOf(store, warnings), at)
        const another = await start(express, configOf(store), at)
        const old = headerOf(await authjsCookies())
        let answer = await one.ask('/me', { headers: { ...visit, cookie: old } })
        if (!isTold) {
          expect([answer.text, answer.cookies]).toEqual(['null', []])
          expect(warnings).toContain('unknown-base')
          await one.ask('/api/auth/csrf', { headers: visit })
          answer = await one.ask('/me', { headers: { ...visit, cookie: old } })
        }
        const cookie = cookieOf(answer)
        const token = /session-token=([^;]+)/.exec(cookie)?.[1] ?? ''
        expect(decodeJwt(token).iss).toBe('http://localhost:3000/api/auth')
        for (const app of [one, another]) expect(await names(app, '/asked', cookie)).toBe('Ada')
        const signedOut = await signOut(
          {
            ...one,
            ask: (path, options) =>
              one.ask(path, { ...options, headers: { ...options?.headers, ...visit } }),
          },
          cookie,
          '/api/auth',
        )
        expect(signedOut.status).toBe(302)
        for (const app of [one, another]) expect(await names(app, '/asked', cookie)).toBeUndefined()
      })

      test('attack: a session with the default issuer, which an earlier version began, outlives the sign-out', async () => {
        const store = memoryStore()
        const at = (it: Express, auth: Middleware) => mount(it, express, auth)
        const app = await start(express, configOf(store), at)
        const another = await start(express, configOf(store), at)
        const issuer = 'http://localhost:3000/auth'
        const { cookie } = await mintSession({ secret: SECRET, issuer, user: { name: 'Ada' } })
        expect(await names(another, '/asked', cookie)).toBe('Ada')
        const ask: Running['ask'] = (path, options) =>
          app.ask(path, { ...options, headers: { ...options?.headers, ...visit } })
        await signOut({ ...app, ask }, cookie, '/api/auth')
        expect(await names(another, '/asked', cookie)).toBeUndefined()
      })
    },
  )

  test('a reader without a mount begins no session whose end the service would not know', async () => {
    const app = await start(express, configOf(), () => {})
    const old = headerOf(await authjsCookies())
    const answer = await app.ask('/me', { headers: { cookie: old } })
    expect([answer.text, answer.cookies]).toEqual(['null', []])
  })

  test('a configuration at two paths moves no user in before one path got a request', async () => {
    const config = configOf()
    const app = await start(express, config, (it, auth) => {
      it.use('/one/auth', auth).use('/two/auth', MiddlewareAuth(config))
    })
    const headers = { cookie: headerOf(await authjsCookies()) }
    expect((await app.ask('/me', { headers })).text).toBe('null')
    await app.ask('/two/auth/csrf')
    expect((await app.ask('/me', { headers })).text).toContain('Ada')
  })
})
