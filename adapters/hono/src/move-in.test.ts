import { authjs } from '@latchkey/worker/migrate'
import { Hono } from 'hono'
import { describe, expect, test } from 'vitest'
import { authjsCookies, OLD_SECRET } from '../../../test/support/old-cookies.js'
import { type AuthHandlerConfig, authHandler, getSession, requireSession, session } from './auth.js'
import { Browser, binding, inProcess } from './test-app.js'

const migrateFrom = [authjs({ secret: OLD_SECRET, until: new Date(Date.now() + 86_400_000) })]

const modes: [string, () => AuthHandlerConfig][] = [
  ['in process', () => inProcess({ migrateFrom })],
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

test('a session that moves in is of the mount, once a request has shown where that is', async () => {
  const config = inProcess({ migrateFrom })
  const app = new Hono().all('/api/auth/*', authHandler(config))
  app.get('/me', async (c) => c.json(await getSession(c, config)))
  await app.request('http://localhost:3000/api/auth/csrf')
  const browser = await visitor(app)
  await browser.go('/me')
  expect(await (await browser.go('/api/auth/session')).json()).toMatchObject({ user: { id: '7' } })
})
