import { Hono } from 'hono'
import { describe, expect, test } from 'vitest'
import * as forward from './forward.js'
import { type AuthHandlerConfig, authHandler, getSession, requireSession } from './forward.js'
import * as whole from './index.js'
import { Browser, binding, inProcess, SECRET } from './test-app.js'

const quiet = { error() {}, warn() {} }

describe('an app that forwards', () => {
  test('signs in at the Worker, reads the session and signs out', async () => {
    const config: AuthHandlerConfig = { worker: binding(), logger: quiet, secret: SECRET }
    const app = new Hono()
    app.all('/auth/*', authHandler(config))
    app.get('/inbox', requireSession({}, config), (c) =>
      c.text(`Hello ${c.var.session?.user?.name}`),
    )
    app.get('/me', async (c) => c.json(await getSession(c, config)))
    const browser = new Browser(app)
    expect((await browser.go('/inbox')).status).toBe(302)
    await browser.signIn()
    expect(await (await browser.go('/inbox')).text()).toBe('Hello ann')
    expect(await (await browser.go('/me')).json()).toMatchObject({ user: { name: 'ann' } })
    await browser.post('/signout')
    expect(await (await browser.go('/me')).json()).toBeNull()
  })

  test('refuses `providers`, and names the entry that has the service', () => {
    const providers = inProcess() as unknown as AuthHandlerConfig
    expect(() => authHandler(providers)).toThrow(
      "import authHandler from '@latchkey/hono', or configure `worker`",
    )
  })

  test('refuses a wildcard over sites of strangers, by a short list', () => {
    const worker = binding()
    const config = (origin: string) => ({ worker, logger: quiet, trustedOrigins: [origin] })
    expect(() => authHandler(config('https://*.replit.dev'))).toThrow(
      'any person can have a site there',
    )
    expect(() => authHandler(config('https://*.example.com'))).not.toThrow()
  })

  test('has every name of the whole entry', () => {
    expect(Object.keys(forward).sort()).toEqual(Object.keys(whole).sort())
  })
})
