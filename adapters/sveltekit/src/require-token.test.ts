import { mintAccessToken, mintSession } from '@latchkey/session/testing'
import { isHttpError, json, type RequestEvent } from '@sveltejs/kit'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { ComponentKitAuth, requireToken } from './index.js'
import { config, ORIGIN, SECRET, TestApp } from './test-app.js'

const audience = 'https://api.example.com/notes'
const issuer = `${ORIGIN}/auth`

async function bearer(options: Partial<Parameters<typeof mintAccessToken>[0]> = {}) {
  const given = { secret: SECRET, issuer, audience, scope: 'notes:read', ...options }
  return { authorization: (await mintAccessToken(given)).authorization }
}

const GET = requireToken({ audience, scope: 'notes:read' }, ({ locals }) => json(locals.token.sub))

/** The answer of an endpoint behind the hook. */
async function ask(
  endpoint: (event: RequestEvent) => Promise<Response>,
  init: RequestInit = {},
): Promise<Response> {
  const app = new TestApp(ComponentKitAuth({ ...config }))
  return app.visit('/notes', undefined, init, {
    respond: (event) => endpoint(event as unknown as RequestEvent),
  })
}

afterEach(() => {
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
})

describe('an endpoint', () => {
  test('lets a token pass, and keeps the answer from caches', async () => {
    const answer = await ask(GET, { headers: await bearer() })
    expect(await answer.json()).toBe('test-user')
    expect(answer.headers.get('cache-control')).toBe('private, no-store')
  })

  test.each<[string, Parameters<typeof bearer>[0] | undefined, number, string]>([
    ['no token', undefined, 401, 'token_required'],
    ['another audience', { audience: 'https://other.example/' }, 401, 'invalid_token'],
    ['another issuer', { issuer: 'http://other.example/auth' }, 401, 'invalid_token'],
    ['another scope', { scope: 'other' }, 403, 'insufficient_scope'],
  ])('refuses %s', async (_, options, status, error) => {
    const headers: HeadersInit = options ? await bearer(options) : { accept: 'text/html' }
    const answer = await ask(GET, { headers })
    expect(answer.status).toBe(status)
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer .*scope="notes:read"$/)
    expect(await answer.json()).toEqual({ error })
  })

  test('attack: takes a machine only if it says so', async () => {
    const headers = await bearer({ machine: true })
    expect((await ask(GET, { headers })).status).toBe(401)
    const open = requireToken({ audience, machine: true }, ({ locals }) => json(locals.token.sub))
    expect(await (await ask(open, { headers })).json()).toBe('machine:test-app')
  })

  test('does not count a session', async () => {
    const { cookie } = await mintSession({ secret: SECRET, issuer })
    expect((await ask(GET, { headers: { cookie } })).status).toBe(401)
  })

  test('lets OPTIONS pass', async () => {
    const OPTIONS = requireToken({ audience }, ({ locals }) => json(locals.token ?? null))
    expect(await (await ask(OPTIONS, { method: 'OPTIONS' })).json()).toBeNull()
  })

  test('is an error at the start with a wrong option', () => {
    expect(() => requireToken({ audience: 'notes' }, () => json({}))).toThrow('audience')
    expect(() => requireToken({ audience, maxAge: 1.5 }, () => json({}))).toThrow('maxAge')
  })
})

test('when it is unknown whether a token counts, Kit answers 503', async () => {
  vi.stubEnv('AUTH_WORKER_URL', 'https://auth.example.com/auth')
  vi.stubGlobal('fetch', async () => new Response('', { status: 500 }))
  const app = new TestApp(ComponentKitAuth({ logger: { error() {} } }))
  let thrown: unknown
  await app.visit(
    '/notes',
    undefined,
    { headers: await bearer() },
    {
      respond: async (event) => {
        try {
          return await GET(event as unknown as RequestEvent)
        } catch (error) {
          thrown = error
          return new Response()
        }
      },
    },
  )
  expect(isHttpError(thrown, 503)).toBe(true)
})
