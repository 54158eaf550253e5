import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mintAccessToken } from '@latchkey/session/testing'
import credentials from '@latchkey/worker/providers/credentials'
import express from 'express'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MiddlewareAuth, protectMcp, requireToken } from './index.js'

const secret = 'a-secret-of-the-token-tests-0123456789'
const audience = 'https://api.example.com/notes'
const mcp = 'https://mcp.example.com/mcp'
const config = {
  secret,
  providers: [credentials({ authorize: () => null })],
  logger: { error() {}, warn() {} },
}
const silent = { worker: { fetch: async () => new Response('', { status: 500 }) } }

let server: Server
let origin: string
let issuer: string

beforeAll(async () => {
  const app = express()
  app.use('/auth', MiddlewareAuth(config))
  app.use(protectMcp({ audience: mcp, scope: 'notes:read' }, config))
  app.all('/notes', requireToken({ audience, scope: 'notes:read' }, config), (req, res) => {
    const { token } = res.locals as Express.Locals
    res.json({ sub: token?.sub, isSame: (req as { auth?: unknown }).auth === token })
  })
  app.get(
    '/silent',
    requireToken({ audience }, { ...silent, issuer: 'https://silent.example/auth' }),
    (_, res) => void res.json({}),
  )
  app.all('/mcp', (_, res) => void res.json((res.locals as Express.Locals).token?.clientId))
  app.get('/other', (_, res) => void res.json('other'))
  app.use(((error, _req, res, _next) => {
    res.status(error.status ?? 500).json(error.name)
  }) as express.ErrorRequestHandler)
  server = createServer(app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  issuer = `${origin}/auth`
})
afterAll(() => void server.close())

async function bearer(options: Partial<Parameters<typeof mintAccessToken>[0]> = {}) {
  const given = { secret, issuer, audience, scope: 'notes:read', ...options }
  return { authorization: (await mintAccessToken(given)).authorization }
}

describe('an API', () => {
  test('lets a token pass, which is where the MCP SDK looks for it', async () => {
    const answer = await fetch(`${origin}/notes`, { headers: await bearer() })
    expect(await answer.json()).toEqual({ sub: 'test-user', isSame: true })
    expect(answer.headers.get('cache-control')).toBe('private, no-store')
  })

  test('refuses to the letter', async () => {
    const answer = await fetch(`${origin}/notes`, { headers: await bearer({ scope: 'other' }) })
    expect(answer.status).toBe(403)
    expect(answer.headers.get('www-authenticate')).toBe(
      'Bearer error="insufficient_scope", error_description="The access token has not all of the scopes", scope="notes:read"',
    )
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(await answer.json()).toEqual({ error: 'insufficient_scope' })
    const none = await fetch(`${origin}/notes`)
    expect(none.status).toBe(401)
    expect(none.headers.get('www-authenticate')).toBe('Bearer scope="notes:read"')
    expect(await none.json()).toEqual({ error: 'token_required' })
  })

  test('lets OPTIONS pass', async () => {
    const answer = await fetch(`${origin}/notes`, { method: 'OPTIONS' })
    expect(await answer.json()).toEqual({ isSame: true })
  })

  test('gives `next` an error with status 503 if it is unknown whether a token counts', async () => {
    const headers = await bearer({ issuer: 'https://silent.example/auth' })
    const answer = await fetch(`${origin}/silent`, { headers })
    expect(answer.status).toBe(503)
    expect(answer.headers.get('retry-after')).toBe('5')
    expect(await answer.json()).toBe('WorkerUnavailable')
  })

  test('is not made with a wrong option', () => {
    expect(() => requireToken({ audience: 'notes' })).toThrow('audience')
    expect(() => requireToken({ audience, maxAge: Number.NaN })).toThrow('maxAge')
    expect(() => protectMcp({ audience: mcp, scopes: ['a b'] })).toThrow('scopes')
  })
})

describe('an MCP server', () => {
  const metadata = 'https://mcp.example.com/.well-known/oauth-protected-resource/mcp'

  test('has metadata, whatever the Host', async () => {
    const answer = await fetch(`${origin}/.well-known/oauth-protected-resource/mcp`)
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(await answer.json()).toEqual({
      resource: mcp,
      authorization_servers: [issuer],
      bearer_methods_supported: ['header'],
      scopes_supported: ['notes:read'],
    })
  })

  test.each(['/mcp', '/MCP', '/mcp/', '/mcp?x'])('is guarded at %s', async (path) => {
    const answer = await fetch(origin + path, { method: 'POST' })
    expect(answer.status).toBe(401)
    expect(answer.headers.get('www-authenticate')).toBe(
      `Bearer scope="notes:read", resource_metadata="${metadata}"`,
    )
    expect(answer.headers.get('access-control-expose-headers')).toContain('WWW-Authenticate')
  })

  test('lets a token pass, and answers preflights', async () => {
    const headers = await bearer({ audience: mcp })
    const answer = await fetch(`${origin}/mcp`, { method: 'POST', headers })
    expect(await answer.json()).toBe('test-app')
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    const options = await fetch(`${origin}/mcp`, { method: 'OPTIONS' })
    expect(options.status).toBe(204)
    expect(options.headers.get('access-control-allow-headers')).toContain('MCP-Session-Id')
  })

  test('leaves all else to the app', async () => {
    const answer = await fetch(`${origin}/other`)
    expect(await answer.json()).toBe('other')
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
  })
})
