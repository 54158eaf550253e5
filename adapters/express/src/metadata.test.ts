import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAuth } from '@latchkey/worker'
import { authorizationServer } from '@latchkey/worker/features/authorization-server'
import credentials from '@latchkey/worker/providers/credentials'
import { memoryStore } from '@latchkey/worker/stores/memory'
import { afterAll, describe, expect, test } from 'vitest'
import { ask, SECRET, versions } from '../../../test/express/support.js'
import { MiddlewareAuth, type MiddlewareAuthConfig } from './index.js'

const stops: (() => unknown)[] = []
afterAll(() => Promise.all(stops.map((stop) => stop())))

const service = {
  providers: [credentials({ authorize: () => null })],
  features: [
    authorizationServer({ apps: { spa: { redirectUris: ['https://spa.example.com/cb'] } } }),
  ],
  logger: { error() {}, warn() {} },
  secret: SECRET,
}

const auth = createAuth({
  ...{ ...service, trustHost: true, basePath: '/api/auth', store: memoryStore() },
})
const worker = {
  fetch: (url: string, init?: RequestInit) => auth.fetch(new Request(url, init), {}),
}

const modes: readonly (readonly [string, MiddlewareAuthConfig])[] = [
  ['in process', { ...service, basePath: '/api/auth' }],
  ['forwarded', { worker, basePath: '/api/auth', logger: service.logger } as MiddlewareAuthConfig],
]

describe.each(versions)('$name', ({ express }) => {
  test.each(modes)('answers the metadata at the root, %s', async (_, config) => {
    const handler = MiddlewareAuth(config)
    const app = express().use('/api/auth', handler).use('/.well-known', handler)
    const server = createServer(app).listen(0, '127.0.0.1')
    stops.push(() => server.close())
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const headers = { host: `localhost:${port}`, origin: 'https://spa.example.com' }
    const at = (path: string, method = 'GET') => ask(port, path, { headers, method })
    const below = await at('/api/auth/.well-known/openid-configuration')
    expect(JSON.parse(below.text)).toMatchObject({ issuer: `http://localhost:${port}/api/auth` })
    for (const name of ['openid-configuration', 'oauth-authorization-server']) {
      const path = `/.well-known/${name}/api/auth`
      const root = await at(path)
      expect([root.status, root.text]).toEqual([200, below.text])
      expect(root.headers['access-control-allow-origin']).toBe('*')
      const preflight = await at(path, 'OPTIONS')
      expect([preflight.status, preflight.headers['access-control-allow-methods']]).toEqual([
        204,
        'GET, HEAD',
      ])
    }
    for (const path of ['/.well-known/openid-configuration', '/.well-known/session']) {
      expect((await at(path)).status).toBe(404)
    }
  })
})
