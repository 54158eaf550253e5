import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { MiddlewareAuth, type MiddlewareAuthConfig, protectMcp } from '@latchkey/express'
import { protectMcp as protectByRequests } from '@latchkey/session'
import { authorizationServer } from '@latchkey/worker/features/authorization-server'
import credentials from '@latchkey/worker/providers/credentials'
import { memoryStore } from '@latchkey/worker/stores/memory'
import type { OAuthTokens } from '@modelcontextprotocol/client'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, McpServer, requireScopes } from '@modelcontextprotocol/server'
import express from 'express5'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectTo, Kept, Person, REDIRECT, textOf } from '../support/mcp-client.ts'

/**
 * An MCP server behind `protectMcp` and the service, in one Express app on a socket; the MCP SDK's own client, whose redirect the
 * test follows.
 */
const DOCUMENT = 'https://client.example/mcp.json'

const server = createServer()
let origin = ''
let config: MiddlewareAuthConfig

/** One tool for each scope. */
const tools = createMcpHandler(({ authInfo }) => {
  const made = new McpServer({ name: 'who', version: '1.0.0' })
  const say = () => ({
    content: [{ type: 'text' as const, text: `You are ${authInfo?.extra?.sub}` }],
  })
  made.registerTool('who', { description: 'Says who you are' }, say)
  made.registerTool(
    'rename',
    { description: 'Needs more', scopeChallenge: requireScopes('who:read', 'who:write') },
    say,
  )
  return made
})

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  origin = `http://localhost:${(server.address() as AddressInfo).port}`
  const audience = `${origin}/mcp`
  config = {
    basePath: '/auth',
    secret: 'a-secret-of-the-mcp-tests-0123456789abc',
    trustHost: true,
    store: memoryStore(),
    providers: [
      credentials({
        credentials: { username: {}, password: {} },
        authorize: ({ username }) => ({ id: String(username), name: String(username) }),
      }),
    ],
    features: [
      authorizationServer({
        apps: { inspector: { redirectUris: [REDIRECT] } },
        resources: {
          [audience]: {
            name: 'Who',
            scopes: { 'who:read': 'See who you are', 'who:write': 'Rename you' },
            open: true,
          },
        },
        fetch: async () =>
          Response.json({
            client_id: DOCUMENT,
            client_name: 'A client that nobody has registered',
            redirect_uris: [REDIRECT],
          }),
      }),
    ],
  }
  const app = express()
  app.use('/auth', MiddlewareAuth(config))
  app.use('/.well-known', MiddlewareAuth(config))
  app.use(protectMcp({ audience, scope: 'who:read', scopes: ['who:read', 'who:write'] }, config))
  app.all('/mcp', toNodeHandler(tools))
  server.on('request', app)
})
afterAll(async () => {
  await tools.close()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const connect = (kept: Kept, person: Person, mode?: 'legacy' | 'auto') =>
  connectTo(`${origin}/mcp`, kept, person, mode)

describe.each(['legacy', 'auto'] as const)('a client that negotiates %s', (mode) => {
  it.each([
    ['registered', { id: 'inspector' }],
    ['known by its metadata document', { document: DOCUMENT }],
  ])('%s finds the service, asks the person, and calls a tool', async (_, client) => {
    const ada = new Person(origin)
    await ada.signIn('ada')
    const kept = new Kept(client)
    const connected = await connect(kept, ada, mode)
    expect(await textOf(connected)).toMatch(/^You are .+/)
    expect(kept.stored?.scope).toContain('who:read')
    await connected.close()
  })

  it('refreshes, and asks the person again once the app has ended', async () => {
    const ada = new Person(origin)
    await ada.signIn('ada')
    const kept = new Kept({ id: 'inspector' })
    await (await connect(kept, ada, mode)).close()
    const before = kept.stored as OAuthTokens
    // An access token that counts no longer, as after five minutes.
    kept.stored = { ...before, access_token: `${before.access_token.slice(0, -4)}AAAA` }
    const again = await connect(kept, ada, mode)
    expect(await textOf(again)).toMatch(/^You are/)
    expect(kept.stored?.refresh_token).not.toBe(before.refresh_token)
    await again.close()
    await ada.endAllApps('inspector')
    kept.stored = { ...(kept.stored as OAuthTokens), access_token: 'ended' }
    kept.asked = undefined
    const third = await connect(kept, ada, mode)
    expect(kept.asked).toBeDefined()
    await third.close()
  })
})

it('a tool that needs more is answered with 403, by which the client asks for more', async () => {
  const ada = new Person(origin)
  await ada.signIn('ada')
  const kept = new Kept({ id: 'inspector' })
  const client = await connect(kept, ada)
  kept.asked = undefined
  await expect(client.callTool({ name: 'rename' })).rejects.toThrow()
  const asked = kept.asked as URL | undefined
  expect(asked?.searchParams.get('scope')?.split(' ')).toEqual(
    expect.arrayContaining(['who:read', 'who:write']),
  )
  await client.close()
})

it('without a token there is only the way to one', async () => {
  const answer = await fetch(`${origin}/mcp`, { method: 'POST' })
  expect(answer.status).toBe(401)
  const challenge = answer.headers.get('www-authenticate') ?? ''
  const [, metadata = ''] = /resource_metadata="([^"]+)"$/.exec(challenge) ?? []
  expect(await (await fetch(metadata)).json()).toMatchObject({
    resource: `${origin}/mcp`,
    authorization_servers: [`${origin}/auth`],
  })
})

it('a server of standard requests takes the same tokens', async () => {
  const ada = new Person(origin)
  await ada.signIn('ada')
  const kept = new Kept({ id: 'inspector' })
  await (await connect(kept, ada)).close()
  const protect = protectByRequests({
    audience: `${origin}/mcp`,
    scope: 'who:read',
    worker: `${origin}/auth`,
  })
  const headers = { authorization: `Bearer ${kept.stored?.access_token}` }
  const found = await protect(new Request(`${origin}/mcp`, { headers }))
  expect(found).toMatchObject({ clientId: 'inspector', scopes: ['who:read'] })
})
