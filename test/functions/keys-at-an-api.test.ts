import { authHandler, protectMcp, requireToken } from '@latchkey/hono'
import { createAuth } from '@latchkey/worker'
import { authorizationServer } from '@latchkey/worker/features/authorization-server'
import { memoryStore } from '@latchkey/worker/stores/memory'
import { Hono } from 'hono'
import { afterEach, describe, expect, test, vi } from 'vitest'

const secret = 'a-secret-of-the-key-tests-0123456789abc'
const origin = 'http://localhost:3000'
const audience = 'https://api.example.com/'
const logger = { error() {}, warn() {} }

afterEach(() => {
  vi.useRealTimers()
})

/** A service with one resource and API keys. */
function serviceWith(alg: 'EdDSA' | 'ES256' | 'RS256', session = {}) {
  const store = memoryStore()
  const features = [
    authorizationServer({
      resources: { [audience]: { scopes: { 'notes:read': 'Read your notes' }, alg } },
      keys: { prefix: 'acme' },
    }),
  ]
  const config = { secret, store, providers: [], features, logger, session }
  const auth = createAuth({ ...config, basePath: '/auth', trustHost: true })
  const newKey = () => auth.createKey('user-1', { name: 'CI', scopes: ['notes:read'] })
  return { config, auth, newKey }
}

/** The status of a request to an API. */
async function ask(app: Hono, key: string, path = '/notes'): Promise<number> {
  const headers = { authorization: `Bearer ${key}` }
  return (await app.request(origin + path, { headers })).status
}

describe.each(['EdDSA', 'ES256', 'RS256'] as const)('with tokens by %s', (alg) => {
  test('an app that runs the service takes keys', async () => {
    const { config, newKey } = serviceWith(alg)
    const app = new Hono()
    app.all('/auth/*', authHandler(config))
    app.get('/notes', requireToken({ audience, scope: 'notes:read' }, config), (c) =>
      c.json(c.var.token),
    )
    app.get('/delete', requireToken({ audience, scope: 'notes:delete' }, config), (c) => c.text(''))
    const { key } = await newKey()
    expect(await ask(app, key)).toBe(200)
    expect(await ask(app, key, '/delete')).toBe(403)
    expect(await ask(app, `${key.slice(0, -1)}_`)).toBe(401)
  })

  test('an API of its own takes keys of the service that it names', async () => {
    const { auth, newKey } = serviceWith(alg)
    const posts: string[] = []
    const worker = {
      fetch: (url: string, init?: RequestInit) => {
        if (init?.method === 'POST') posts.push(url)
        return auth.fetch(new Request(url, init), {})
      },
    }
    const app = new Hono()
    const issuer = 'https://example.com/auth'
    app.use(protectMcp({ audience, scope: 'notes:read' }, { worker, issuer }))
    app.get('/notes', (c) => c.text(''))
    const { key } = await newKey()
    expect(await ask(app, key)).toBe(200)
    expect(await ask(app, key)).toBe(200)
    expect(posts).toEqual([`${issuer}/oauth/token`])
  })
})

test('a key that another process has ended is refused long before its token ends', async () => {
  // Before the verifier is made, which keeps the clock that it finds.
  vi.useFakeTimers({ toFake: ['Date'] })
  const { config, auth, newKey } = serviceWith('EdDSA')
  const app = new Hono()
  app.all('/auth/*', authHandler(config))
  app.get('/notes', requireToken({ audience }, config), (c) => c.text(''))
  const { id, key } = await newKey()
  expect(await ask(app, key)).toBe(200)
  await auth.endKey('user-1', id)
  const began = Date.now()
  const later = () => {
    vi.setSystemTime(Date.now() + 1_000)
    return ask(app, key)
  }
  await expect.poll(later, { interval: 1 }).toBe(401)
  expect(Date.now() - began).toBeLessThan(290_000)
})

test('a token counts for five minutes, also if those of sessions are shorter', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const { config, newKey } = serviceWith('EdDSA', { tokenMaxAge: 60 })
  const app = new Hono()
  app.all('/auth/*', authHandler(config))
  app.get('/notes', requireToken({ audience }, config), (c) => c.text(''))
  const { key } = await newKey()
  expect(await ask(app, key)).toBe(200)
  vi.setSystemTime(Date.now() + 290_000)
  expect(await ask(app, key)).toBe(200)
})

test('a gate finds the service at the path of its mount', async () => {
  const { config, newKey } = serviceWith('EdDSA')
  const app = new Hono()
  app.all('/api/auth/*', authHandler(config))
  app.get('/notes', requireToken({ audience }, config), (c) => c.json(c.var.token.claims.iss))
  // The first request for an auth route shows the mount.
  await app.request(`${origin}/api/auth/csrf`)
  const { key } = await newKey()
  const answer = await app.request(`${origin}/notes`, {
    headers: { authorization: `Bearer ${key}` },
  })
  expect(await answer.json()).toBe(`${origin}/api/auth`)
})
