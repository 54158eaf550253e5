import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { accessJwks, bearer, eddsa } from '../test-support/access.js'
import { ISSUER } from '../test-support/keys.js'
import { useWorker, worker } from '../test-support/worker.js'
import { signAccessToken } from '../token/access-token.js'
import { McpResource } from './mcp-resource.js'
import { type ProtectMcpOptions, protectMcp } from './protect-mcp.js'

useWorker()
beforeEach(() => {
  worker.accessJwks = accessJwks
})
afterEach(() => worker.replaced.clear())

const audience = 'https://mcp.example.com/mcp'
const atRoot = 'https://mcp.example.com/.well-known/oauth-protected-resource'
const metadata = `${atRoot}/mcp`

/** The answer to a request, or the token with which it goes on. */
function ask(
  url: string,
  {
    authorization,
    method = 'POST',
    headers: more = {},
  }: { authorization?: string; method?: string; headers?: Record<string, string> } = {},
  options: Partial<ProtectMcpOptions> = {},
) {
  const protect = protectMcp({
    audience,
    scope: 'notes:read',
    worker: ISSUER,
    fetch: (address, init) => worker.fetch(String(address), init),
    now: () => worker.clock.now * 1000,
    onError: () => {},
    ...options,
  })
  const headers = { ...more, ...(authorization === undefined ? {} : { authorization }) }
  return protect(new Request(url, { method, headers }))
}

async function answerTo(...asked: Parameters<typeof ask>): Promise<Response> {
  const found = await ask(...asked)
  if (found instanceof Response) return found
  throw new Error('It went on.')
}

describe('a machine', () => {
  const machine = async () => {
    const { now } = worker.clock
    const claims = {
      ...{ iss: ISSUER, sub: 'machine:ci', aud: audience, client_id: 'ci', scope: 'notes:read' },
      ...{ iat: now - 1, exp: now + 299, jti: 'j'.repeat(22), began: now - 1, pid: 'p'.repeat(12) },
      machine: true as const,
    }
    return `Bearer ${await signAccessToken(claims, eddsa)}`
  }

  test.each([
    [undefined, 401],
    [false, 401],
    [true, 'machine:ci'],
    ['only', 'machine:ci'],
  ] as const)('attack: is taken only if the server says so: %j', async (option, expected) => {
    const found = await ask(audience, { authorization: await machine() }, { machine: option })
    expect(found instanceof Response ? found.status : found.sub).toBe(expected)
  })

  test('and with `only` nobody else is', async () => {
    const authorization = await bearer({ aud: audience })
    const answer = await answerTo(audience, { authorization }, { machine: 'only' })
    expect(answer.status).toBe(401)
  })
})

describe('a request with a token', () => {
  test('goes on, and the token says where the metadata is', async () => {
    const found = await ask(audience, { authorization: await bearer({ aud: audience }) })
    expect(found).toMatchObject({ clientId: 'notes-app', resourceMetadataUrl: metadata })
    expect(found).toMatchObject({ resource: new URL(audience) })
  })

  test('for another audience is refused', async () => {
    const answer = await answerTo(audience, { authorization: await bearer() })
    expect(answer.status).toBe(401)
    expect(answer.headers.get('www-authenticate')).toBe(
      `Bearer error="invalid_token", error_description="The access token is not valid here", scope="notes:read", resource_metadata="${metadata}"`,
    )
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(answer.headers.get('access-control-expose-headers')).toBe(
      'WWW-Authenticate, MCP-Session-Id',
    )
    expect(await answer.json()).toEqual({ error: 'invalid_token' })
  })

  test('gets 503 while it is unknown whether the token counts', async () => {
    worker.replaced.set('oauth/jwks.json', () => new Response('', { status: 500 }))
    const answer = await answerTo(audience, { authorization: await bearer({ aud: audience }) })
    expect(answer.status).toBe(503)
    expect(answer.headers.get('retry-after')).toBe('5')
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
  })
})

test('a request without a token is refused with the metadata alone if no scope is asked', async () => {
  const answer = await answerTo(audience, {}, { scope: undefined })
  expect(answer.headers.get('www-authenticate')).toBe(`Bearer resource_metadata="${metadata}"`)
})

describe('the metadata', () => {
  test.each([
    ['for the path', audience, metadata],
    ['for the root', 'https://mcp.example.com/', atRoot],
    ['for a longer path', `${audience}/v1`, `${metadata}/v1`],
    ['for a path with a query', `${audience}?tenant=1`, metadata],
  ])('%s is at the address of RFC 9728', async (_, audience, address) => {
    const answer = await answerTo(address, { method: 'GET' }, { audience, scopes: ['a', 'b'] })
    expect(answer.headers.get('content-type')).toBe('application/json')
    expect(answer.headers.get('cache-control')).toBe('public, max-age=300')
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(await answer.json()).toEqual({
      resource: audience,
      authorization_servers: [ISSUER],
      bearer_methods_supported: ['header'],
      scopes_supported: ['a', 'b'],
    })
    expect(worker.requests).toEqual([])
  })

  test('answers HEAD without a body, and preflights', async () => {
    expect(await (await answerTo(metadata, { method: 'HEAD' })).text()).toBe('')
    const answer = await answerTo(metadata, { method: 'OPTIONS' })
    expect(answer.status).toBe(204)
    expect(Object.fromEntries(answer.headers)).toEqual({
      'access-control-allow-headers':
        'Authorization, Content-Type, MCP-Protocol-Version, MCP-Session-Id, Last-Event-ID',
      'access-control-allow-methods': 'GET, POST, DELETE, OPTIONS',
      'access-control-allow-origin': '*',
      'access-control-expose-headers': 'WWW-Authenticate, MCP-Session-Id',
      'access-control-max-age': '600',
    })
  })

  test.each([audience, metadata])(
    'a preflight of %s allows each header that begins with mcp-, and no other',
    async (address) => {
      const allowedFor = async (asked: string) => {
        const headers = { 'access-control-request-headers': asked }
        const answer = await answerTo(address, { method: 'OPTIONS', headers })
        return answer.headers.get('access-control-allow-headers')?.split(', ').slice(5)
      }
      // The headers of the official client 2.4.
      const asked = 'authorization,content-type,mcp-method,mcp-name,mcp-protocol-version'
      expect(await allowedFor(asked)).toEqual(['mcp-method', 'mcp-name'])
      expect(await allowedFor(' Mcp-Param-Region , mcp-method,MCP-Method')).toEqual([
        ...['mcp-param-region', 'mcp-method'],
      ])
      for (const other of [
        'cookie',
        'x-mcp-a',
        'mcp',
        'mcp-a b',
        'mcp-ü',
        `mcp-${'x'.repeat(61)}`,
      ]) {
        expect(await allowedFor(other)).toEqual([])
      }
    },
  )

  test('attack: a preflight that asks for thousands of headers gets a bounded answer', async () => {
    const asked = Array.from({ length: 5_000 }, (_, at) => `mcp-${at}`).join(',')
    const headers = { 'access-control-request-headers': asked }
    const answer = await answerTo(audience, { method: 'OPTIONS', headers })
    const allowed = answer.headers.get('access-control-allow-headers')
    expect(allowed?.split(', ')).toHaveLength(5 + 32)
  })

  test('names no scopes if there are none', async () => {
    const answer = await answerTo(metadata, { method: 'GET' }, { scope: undefined, name: 'Notes' })
    expect(await answer.json()).toEqual({
      resource: audience,
      authorization_servers: [ISSUER],
      bearer_methods_supported: ['header'],
      resource_name: 'Notes',
    })
  })

  test('is at no other path', async () => {
    for (const address of [`${metadata}/`, `${metadata}x`, atRoot]) {
      expect((await answerTo(address, { method: 'GET' })).status).toBe(404)
    }
    expect((await answerTo(metadata, { method: 'POST' })).status).toBe(404)
  })
})

describe('the guarded paths', () => {
  const resource = new McpResource({ audience })

  test.each([
    '/mcp',
    '/mcp/',
    '/mcp/x',
    '/MCP',
    '/%6dcp',
    '/%4Dcp/x',
    '//mcp',
    '/mcp//x',
    '/mcp%2Fx',
    '\\mcp',
    '/mcp#x',
    '/mcp?x#y',
    '/mcp%23x',
  ])('are %s too', (path) => {
    expect(resource.placeOf('POST', path)).toBe('guarded')
  })

  test.each(['/', '/mcpx', '/x/mcp', '/mc', '/auth/session', '/%zz'])('are not %s', (path) => {
    expect(resource.placeOf('POST', path)).toBe('elsewhere')
  })

  test('are all if the server is at the root', () => {
    const root = new McpResource({ audience: 'https://mcp.example.com/' })
    for (const path of ['/', '/x', '/.well-known/oauth-protected-resource/x']) {
      expect(root.placeOf('GET', path)).toBe('guarded')
    }
    const own = '/.well-known/oauth-protected-resource'
    expect(root.placeOf('GET', own)).toBe('metadata')
    expect(root.placeOf('POST', own)).toBe('guarded')
  })
})

test.each<[string, object, string]>([
  ['without an audience', { audience: undefined }, '`audience` must'],
  ['with an audience that is not a URI', { audience: '/mcp' }, '`audience` must'],
  ['with a fragment', { audience: `${audience}#x` }, '`audience` must'],
  [
    'with an audience that clients write otherwise',
    { audience: 'https://mcp.example.com' },
    'must be https://mcp.example.com/',
  ],
  ['with an empty scope', { scope: '' }, '`scope` and'],
  ['with a blank scope', { scope: ' ' }, '`scope` and'],
  ['with a number for the scope', { scope: 7 }, '`scope` and'],
  ['with a list for the scope', { scope: ['a'] }, '`scope` and'],
  ['with no scope at all', { scope: null }, '`scope` and'],
  ['with no list', { scopes: null }, '`scopes` must'],
  ['with an empty text among the scopes', { scopes: [''] }, '`scopes` must'],
  ['with an empty name', { name: ' ' }, '`name` must'],
  ['with a fetch that is not a function', { fetch: {} }, 'fetch must'],
  ['with an invalid service', { worker: 7 }, 'worker'],
  ['with a scope that is not one', { scopes: ['a b'] }, '`scopes` must'],
  ['with a scope that is not a text', { scopes: [1] }, '`scopes` must'],
  ['with scopes that are not a list', { scopes: 'a' }, '`scopes` must'],
  ['with a quote in the scope', { scope: '"' }, '`scopes` must'],
  ['with a name that is not a text', { name: 1 }, '`name` must'],
  ['without a service', { worker: undefined }, 'issuer'],
])('it is an error at the start %s', (_, options, message) => {
  const start = () => protectMcp({ audience, worker: ISSUER, ...options } as ProtectMcpOptions)
  expect(start).toThrow(TypeError)
  expect(start).toThrow(message)
})
