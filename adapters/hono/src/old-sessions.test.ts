import { mintSession } from '@latchkey/session/testing'
import { authjs } from '@latchkey/worker/migrate'
import { memoryStore } from '@latchkey/worker/stores/memory'
import { Hono } from 'hono'
import { decodeJwt } from 'jose'
import { describe, expect, test } from 'vitest'
import { authjsCookies, OLD_SECRET } from '../../../test/support/old-cookies.js'
import {
  type AuthHandlerConfig,
  authHandler,
  getSession,
  requireSession,
  session,
} from './index.js'
import { Browser, binding, inProcess, SECRET } from './test-app.js'

const migrateFrom = [authjs({ secret: OLD_SECRET, until: new Date(Date.now() + 86_400_000) })]

const modes: [string, () => AuthHandlerConfig][] = [
  ['in process', () => inProcess({ migrateFrom, basePath: '/auth' })],
  ['forwarded', () => ({ worker: binding({ migrateFrom }) })],
]

async function visitor(app: Hono, at?: string): Promise<Browser> {
  const browser = new Browser(app, at)
  const jar = await authjsCookies({ secure: at?.startsWith('https:') ?? false })
  for (const [name, value] of jar) browser.cookies.set(name, value)
  return browser
}

describe.each(modes)('an old session, %s, moves in', (_, make) => {
  test.each<[string, (config: AuthHandlerConfig) => Hono]>([
    [
      'getSession',
      (config) => new Hono().get('/me', async (c) => c.json(await getSession(c, config))),
    ],
    ['session()', (config) => new Hono().get('/me', session(config), () => Response.json({}))],
    [
      'requireSession()',
      (config) => new Hono().get('/me', requireSession({}, config), (c) => c.json(c.var.session)),
    ],
  ])('by %s, on http and https', async (_name, build) => {
    const config = make()
    const app = build(config)
    app.all('/auth/*', authHandler(config))
    for (const at of ['http://localhost:3000', 'https://app.example']) {
      const browser = await visitor(app, at)
      const answer = await browser.go('/me')
      expect([answer.status, answer.headers.getSetCookie()]).toMatchObject([200, { length: 2 }])
      const [name = ''] = [...browser.cookies.keys()]
      expect(name).toMatch(/^(?:__Host-)?auth\.session-token$/)
      expect(await (await browser.go('/auth/session')).json()).toMatchObject({ user: { id: '7' } })
    }
  })
})

/** Processes over one store: each has a configuration, and so a state, of its own. */
function processAt(path: string, store: ReturnType<typeof memoryStore>, warnings: string[] = []) {
  const logger = { error() {}, warn: (code: string) => void warnings.push(code) }
  const config = inProcess({ migrateFrom, store, logger })
  const app = new Hono().all(`${path}/*`, authHandler(config))
  app.get('/me', async (c) => c.json(await getSession(c, config)))
  return app.get('/asked', async (c) => c.json(await getSession(c, { ...config, online: true })))
}

test('attack: a copy of a cookie that moved in before the first auth route outlives the sign-out', async () => {
  const warnings: string[] = []
  const store = memoryStore()
  const app = processAt('/api/auth', store, warnings)
  const browser = await visitor(app)
  const early = await browser.go('/me')
  expect([await early.json(), early.headers.getSetCookie()]).toEqual([null, []])
  expect(warnings).toEqual(['unknown-base'])
  await app.request('http://localhost:3000/api/auth/csrf')
  expect(await (await browser.go('/me')).json()).toMatchObject({ user: { id: '7' } })
  const [token = ''] = [...browser.cookies.values()]
  expect(decodeJwt(token).iss).toBe('http://localhost:3000/api/auth')
  const headers = { cookie: browser.cookie }
  const other = processAt('/api/auth', store)
  const asked = async () => (await other.request('http://localhost:3000/asked', { headers })).json()
  expect(await asked()).toMatchObject({ user: { id: '7' } })
  await browser.post('/signout', '/api/auth')
  expect(await asked()).toBeNull()
})

test('attack: a session with the default issuer, which an earlier version began, outlives the sign-out', async () => {
  const store = memoryStore()
  const browser = new Browser(processAt('/api/auth', store))
  const issuer = 'http://localhost:3000/auth'
  const { cookies, cookie } = await mintSession({ secret: SECRET, issuer })
  for (const [name, value] of cookies) browser.cookies.set(name, value)
  const other = processAt('/api/auth', store)
  const headers = { cookie }
  const asked = async () => (await other.request('http://localhost:3000/asked', { headers })).json()
  expect(await asked()).toMatchObject({ user: { id: 'test-user' } })
  await browser.post('/signout', '/api/auth')
  expect(await asked()).toBeNull()
})
