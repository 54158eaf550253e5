import { authorizationServer } from '@latchkey/worker/features/authorization-server'
import { Hono } from 'hono'
import { describe, expect, test } from 'vitest'
import { type AuthHandlerConfig, authHandler } from './index.js'
import { binding, inProcess, ORIGIN } from './test-app.js'

const features = [
  authorizationServer({ apps: { spa: { redirectUris: ['https://spa.example.com/cb'] } } }),
]

const modes: readonly (readonly [string, AuthHandlerConfig])[] = [
  ['in process', inProcess({ features, basePath: '/auth' })],
  [
    'forwarded',
    { worker: binding({ features }), basePath: '/auth', logger: { error() {}, warn() {} } },
  ],
]

describe.each(modes)('the metadata at the root, %s,', (_, config) => {
  const handler = authHandler(config)
  const mounted = new Hono().all('/auth/*', handler).all('/.well-known/*', handler)
  const everywhere = new Hono().all('*', handler)

  test.each([
    ['the handler is mounted there too', mounted],
    ['it is mounted everywhere', everywhere],
  ])('is answered if %s', async (_, app) => {
    const at = (path: string, method = 'GET') => app.request(ORIGIN + path, { method })
    const below = await (await at('/auth/.well-known/openid-configuration')).text()
    expect(JSON.parse(below)).toMatchObject({ issuer: `${ORIGIN}/auth` })
    for (const name of ['openid-configuration', 'oauth-authorization-server']) {
      const path = `/.well-known/${name}/auth`
      expect(await (await at(path)).text()).toBe(below)
      const preflight = await at(path, 'OPTIONS')
      expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([
        204,
        '*',
      ])
    }
    expect((await at('/.well-known/openid-configuration/other')).status).toBe(404)
    expect((await at('/.well-known/session')).status).toBe(404)
  })
})

test('without the feature the app answers there itself', async () => {
  const app = new Hono().all('/.well-known/*', authHandler(inProcess({ basePath: '/auth' })))
  app.all('*', (c) => c.text('the app’s own'))
  const answer = await app.request(`${ORIGIN}/.well-known/openid-configuration/auth`)
  expect(await answer.text()).toBe('the app’s own')
})
