import { type AddressInfo, connect } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import type { AccessToken } from '@latchkey/session'
import { deriveAccessKeys, signAccessToken } from '@latchkey/session/issue'
import { mintAccessToken } from '@latchkey/session/testing'
import { type Context, Hono } from 'hono'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { authHandler, protectMcp, requireToken } from './index.js'
import { Browser, binding, inProcess, modes, ORIGIN, SECRET } from './test-app.js'

const issuer = `${ORIGIN}/auth`
const audience = 'https://api.example.com/notes'

async function bearer(options: Partial<Parameters<typeof mintAccessToken>[0]> = {}) {
  const minted = await mintAccessToken({
    secret: SECRET,
    issuer,
    audience,
    scope: 'notes:read',
    ...options,
  })
  return { authorization: minted.authorization }
}

/** What the middlewares give to handlers after them. */
interface WithToken {
  Variables: { token: AccessToken }
}

const who = (c: Context<WithToken>) => c.text(c.var.token?.sub ?? 'nobody')

/** The status of a request with this target, which no client would send. */
async function statusOnSocket(app: Hono<WithToken>, target: string): Promise<number> {
  const server = createAdaptorServer({ fetch: app.fetch })
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done))
  try {
    const { port } = server.address() as AddressInfo
    return await new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.write(
          `POST ${target} HTTP/1.1\r\nHost: app.example.com\r\nConnection: close\r\n\r\n`,
        )
      })
      socket.once('data', (data) => resolve(Number(data.toString('latin1').split(' ', 2)[1])))
      socket.once('error', reject)
    })
  } finally {
    server.close()
  }
}

afterEach(() => {
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
})

describe.each(modes)('an API of an app that serves the auth routes %s', (mode, configOf) => {
  const config = mode === 'forwarded' ? { ...configOf(), secret: SECRET } : configOf()
  const app = new Hono()
  app.all('/auth/*', authHandler(config))
  app.get('/notes', requireToken({ audience, scope: 'notes:read' }, config), who)
  app.get('/cached', requireToken({ audience }, config), (c) => {
    c.header('cache-control', 'public, max-age=60')
    return who(c)
  })
  app.all('/any', requireToken({ audience }, config), who)
  app.post('/pay', requireToken({ audience, maxAge: 300, acr: '2' }, config), who)

  test('lets a token pass, and keeps the answer from caches', async () => {
    const answer = await app.request(`${ORIGIN}/notes`, { headers: await bearer() })
    expect(answer.status).toBe(200)
    expect(await answer.text()).toBe('test-user')
    expect(answer.headers.get('cache-control')).toBe('private, no-store')
  })

  test('leaves the caching that the route sets', async () => {
    const answer = await app.request(`${ORIGIN}/cached`, { headers: await bearer() })
    expect(answer.headers.get('cache-control')).toBe('public, max-age=60')
  })

  test('refuses a request without one to the letter, and never by a redirect', async () => {
    const answer = await app.request(`${ORIGIN}/notes`, { headers: { accept: 'text/html' } })
    expect(answer.status).toBe(401)
    expect(answer.headers.get('www-authenticate')).toBe('Bearer scope="notes:read"')
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(await answer.json()).toEqual({ error: 'token_required' })
  })

  test.each([
    [undefined, 401],
    [true, 200],
    ['only', 200],
  ] as const)('attack: takes a machine only if it says so: %j', async (machine, status) => {
    const own = new Hono()
    own.all('/auth/*', authHandler(config))
    own.get('/notes', requireToken({ audience, machine }, config), who)
    const headers = await bearer({ machine: true })
    expect((await own.request(`${ORIGIN}/notes`, { headers })).status).toBe(status)
    const people = { headers: await bearer() }
    expect((await own.request(`${ORIGIN}/notes`, people)).status).toBe(
      machine === 'only' ? 401 : 200,
    )
  })

  test('does not count a session', async () => {
    const browser = new Browser(app)
    await browser.signIn()
    expect((await browser.go('/notes')).status).toBe(401)
  })

  test.each<[string, Parameters<typeof bearer>[0], number, string]>([
    ['for another audience', { audience: 'https://other.example/' }, 401, 'invalid_token'],
    ['from another issuer', { issuer: 'http://other.example/auth' }, 401, 'invalid_token'],
    ['from another path of this origin', { issuer: `${ORIGIN}/other` }, 401, 'invalid_token'],
    ['that has ended', { tokenMaxAge: -1 }, 401, 'invalid_token'],
    ['without the scope', { scope: 'notes:write' }, 403, 'insufficient_scope'],
  ])('refuses a token %s', async (_, options, status, error) => {
    const answer = await app.request(`${ORIGIN}/notes`, { headers: await bearer(options) })
    expect(answer.status).toBe(status)
    expect(answer.headers.get('www-authenticate')).toContain(`Bearer error="${error}"`)
    expect(await answer.json()).toEqual({ error })
  })

  test('asks for a fresh and strong sign-in', async () => {
    const pay = async (options: Parameters<typeof bearer>[0]) =>
      app.request(`${ORIGIN}/pay`, { method: 'POST', headers: await bearer(options) })
    const weak = await pay({})
    expect(weak.status).toBe(401)
    expect(weak.headers.get('www-authenticate')).toContain('max_age="300", acr_values="2"')
    expect((await pay({ acr: '2' })).status).toBe(200)
  })

  test('lets OPTIONS pass', async () => {
    expect(await (await app.request(`${ORIGIN}/any`, { method: 'OPTIONS' })).text()).toBe('nobody')
    expect((await app.request(`${ORIGIN}/any`)).status).toBe(401)
  })

  test('does not look at tokens in queries and bodies', async () => {
    const { authorization } = await bearer()
    const token = authorization.slice('Bearer '.length)
    const query = await app.request(`${ORIGIN}/any?access_token=${token}`)
    expect(query.status).toBe(401)
    const body = new URLSearchParams({ access_token: token })
    expect((await app.request(`${ORIGIN}/any`, { method: 'POST', body })).status).toBe(401)
  })
})

test('the token of a session that signs out here is refused at the next request, without a feed', async () => {
  const config = inProcess()
  const app = new Hono()
  app.all('/auth/*', authHandler(config))
  app.get('/notes', requireToken({ audience }, config), who)
  const browser = new Browser(app)
  await browser.signIn()
  const payload = browser.cookies.get('auth.session-token')?.split('.')[1] ?? ''
  const { sid } = JSON.parse(Buffer.from(payload, 'base64url').toString())
  const { claims } = await mintAccessToken({ secret: SECRET, issuer, audience })
  const [key] = await deriveAccessKeys([SECRET], 'EdDSA')
  const headers = { authorization: `Bearer ${await signAccessToken({ ...claims, sid }, key)}` }
  const ask = async () => (await app.request(`${ORIGIN}/notes`, { headers })).status
  expect(await ask()).toBe(200)
  await browser.post('/signout')
  expect(await ask()).toBe(401)
})

describe('an API of its own', () => {
  const publicIssuer = 'https://example.com/auth'

  test('takes the tokens of the service that it names, under its public address', async () => {
    const app = new Hono()
    const config = { worker: binding(), issuer: publicIssuer }
    app.get('/notes', requireToken({ audience }, config), who)
    const ask = async (options: Parameters<typeof bearer>[0]) =>
      (await app.request('https://api.example.com/notes', { headers: await bearer(options) }))
        .status
    // The service has no authorization server here, so it publishes no key.
    expect(await ask({ issuer: publicIssuer })).toBe(503)
  })

  test('asks the service of AUTH_WORKER_URL', async () => {
    vi.stubEnv('AUTH_WORKER_URL', 'https://auth.example.com')
    const asked: string[] = []
    vi.stubGlobal('fetch', async (url: string) => {
      asked.push(String(url))
      return new Response('', { status: 500 })
    })
    const app = new Hono()
    app.get('/notes', requireToken({ audience }, {}), who)
    const headers = await bearer({ issuer: 'https://auth.example.com/auth' })
    const answer = await app.request('https://api.example.com/notes', { headers })
    expect(answer.status).toBe(503)
    expect(answer.headers.get('retry-after')).toBe('5')
    expect(asked).toContain('https://auth.example.com/auth/oauth/jwks.json')
    expect((await app.request('https://api.example.com/notes')).status).toBe(401)
  })
})

describe('a wrong option is an error at the start', () => {
  test.each<[string, object]>([
    ['no audience', {}],
    ['an audience that is not a URI', { audience: 'notes' }],
    ['an unknown name', { audience, scopes: ['a'] }],
    ['an audience that clients write otherwise', { audience: 'https://api.example.com' }],
    ['an invalid scope', { audience, scope: 'a"b' }],
    ['attack: an empty scope', { audience, scope: '' }],
    ['attack: a blank scope', { audience, scope: ' ' }],
    ['an empty list of scopes', { audience, scope: [] }],
    ['an empty scope in a list', { audience, scope: ['a', ''] }],
    ['two scopes in one entry', { audience, scope: ['a b'] }],
    ['a number for a scope', { audience, scope: 7 }],
    ['a number in a list', { audience, scope: [7] }],
    ['no scope at all', { audience, scope: null }],
    ['a set of scopes', { audience, scope: new Set(['a']) }],
    ['an age as a text', { audience, maxAge: '300' }],
    ['no age at all', { audience, maxAge: null }],
    ['a bound session, which no token is', { audience, bound: true }],
    ['an empty level', { audience, acr: '' }],
    ['an invalid age', { audience, maxAge: -1 }],
    ['an invalid level', { audience, acr: 2 }],
  ])('%s', (_, options) => {
    expect(() => requireToken(options as { audience: string })).toThrow(
      /audience|scope|maxAge|acr|bound/,
    )
  })

  test('a binding without the issuer', () => {
    expect(() => requireToken({ audience }, { worker: binding() })).toThrow('issuer')
  })
})

describe('a wrong option of protectMcp is an error at the start', () => {
  const audience = `${ORIGIN}/mcp`
  test.each<[string, object]>([
    ['an unknown name', { audience, maxAge: 300 }],
    ['a blank scope', { audience, scope: ' ' }],
    ['a number for a scope', { audience, scope: 7 }],
    ['an audience that clients write otherwise', { audience: ORIGIN }],
  ])('%s', (_, options) => {
    expect(() => protectMcp(options as { audience: string })).toThrow(/maxAge|scope|must be/)
  })

  test('an invalid service, or an invalid issuer', () => {
    expect(() => protectMcp({ audience }, { worker: 7 as never })).toThrow('worker')
    expect(() => protectMcp({ audience }, { issuer: '' })).toThrow('issuer')
  })

  test('attack: a cache gives no host the issuer of another one', async () => {
    const trusting = new Hono()
    const config = { ...inProcess(), trustHost: true }
    trusting.all('/auth/*', authHandler(config))
    trusting.use(protectMcp({ audience }, config))
    const answer = await trusting.request(`${ORIGIN}/.well-known/oauth-protected-resource/mcp`, {
      headers: { 'x-forwarded-host': 'evil.example' },
    })
    expect(answer.headers.get('vary')).toBe('Host, X-Forwarded-Host, X-Forwarded-Proto')
    const fixed = new Hono()
    fixed.use(protectMcp({ audience }, { worker: issuer }))
    const own = await fixed.request(`${ORIGIN}/.well-known/oauth-protected-resource/mcp`)
    expect([own.status, own.headers.get('vary')]).toEqual([200, null])
  })
})

describe('an MCP server', () => {
  const config = inProcess()
  const mcp = `${ORIGIN}/mcp`
  const metadata = `${ORIGIN}/.well-known/oauth-protected-resource/mcp`
  const app = new Hono<WithToken>()
  app.all('/auth/*', authHandler(config))
  app.use(protectMcp({ audience: mcp, scope: 'notes:read', name: 'Notes' }, config))
  app.all('/mcp', (c) => c.json({ sub: c.var.token.sub, at: c.var.token.resourceMetadataUrl }))
  app.all('/mcp/*', who)
  app.get('/other', who)

  test('has metadata for every origin', async () => {
    const answer = await app.request(metadata)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(answer.headers.get('cache-control')).toBe('public, max-age=300')
    // Its issuer follows from the request.
    expect(answer.headers.get('vary')).toBe('Host, X-Forwarded-Host, X-Forwarded-Proto')
    expect(await answer.json()).toEqual({
      resource: mcp,
      authorization_servers: [issuer],
      bearer_methods_supported: ['header'],
      scopes_supported: ['notes:read'],
      resource_name: 'Notes',
    })
    expect((await app.request(`${metadata}x`)).status).toBe(404)
  })

  test('lets a token pass, and answers scripts of any origin', async () => {
    const answer = await app.request(mcp, {
      method: 'POST',
      headers: await bearer({ audience: mcp }),
    })
    expect(await answer.json()).toEqual({ sub: 'test-user', at: metadata })
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(answer.headers.get('access-control-expose-headers')).toBe(
      'WWW-Authenticate, MCP-Session-Id',
    )
  })

  // A router takes the fragment off the path, and so must the guard.
  test.each(['#x', '?#x', '/x#y', '#/../other'])(
    'attack: a request with %s behind the path is refused, on a socket too',
    async (end) => {
      expect((await app.fetch(new Request(mcp + end, { method: 'POST' }))).status).toBe(401)
      expect(await statusOnSocket(app, `/mcp${end}`)).toBe(401)
    },
  )

  test('says in each challenge where its metadata is', async () => {
    const end = `resource_metadata="${metadata}"`
    for (const headers of [{}, await bearer(), await bearer({ audience: mcp, scope: 'x' })]) {
      const answer = await app.request(mcp, { method: 'POST', headers })
      expect(answer.headers.get('www-authenticate')?.endsWith(end)).toBe(true)
      expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    }
  })

  test.each(['/mcp/', '/mcp/x', '/MCP', '/%6Dcp', '/mcp//', '//mcp'])(
    'is guarded at %s too',
    async (path) => {
      expect((await app.request(ORIGIN + path, { method: 'POST' })).status).toBe(401)
    },
  )

  test('answers preflights', async () => {
    const answer = await app.request(mcp, { method: 'OPTIONS' })
    expect(answer.status).toBe(204)
    expect(answer.headers.get('access-control-allow-headers')).toBe(
      'Authorization, Content-Type, MCP-Protocol-Version, MCP-Session-Id, Last-Event-ID',
    )
  })

  test('leaves all else to the app', async () => {
    const answer = await app.request(`${ORIGIN}/other`)
    expect(await answer.text()).toBe('nobody')
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
    expect((await app.request(`${ORIGIN}/mcpx`)).status).toBe(404)
  })
})
