import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { MiddlewareAuth, type MiddlewareAuthConfig, protectMcp } from '@latchkey/express'
import { authorizationServer } from '@latchkey/worker/features/authorization-server'
import oidc from '@latchkey/worker/providers/oidc'
import { memoryStore } from '@latchkey/worker/stores/memory'
import {
  Client,
  CrossAppAccessProvider,
  discoverAndRequestJwtAuthGrant,
  PrivateKeyJwtProvider,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import express from 'express5'
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import { Provider } from 'oidc-provider'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { textOf } from '../support/mcp-client.ts'

/**
 * The agents of a company: `oidc-provider` as its identity provider, the MCP SDK's own client with "Enterprise-Managed
 * Authorization", and with a key of its own, and an MCP server behind `protectMcp`. `oidc-provider` has no ID-JAG: its token
 * endpoint gives them by a grant type that this test registers, with the keys that it publishes.
 */
const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'
const ID_JAG = 'urn:ietf:params:oauth:token-type:id-jag'
const idpSecret = 'the-secret-of-the-agent-at-its-company-0123456789'
const secret = 'the-secret-of-the-agent-at-the-service-0123456789'

const [server, idpServer] = [createServer(), createServer()]
let origin = ''
let idp = ''
let key: { readonly privateKey: CryptoKey; readonly jwk: JWK }
let machineKey: JWK

const tools = createMcpHandler(({ authInfo }) => {
  const made = new McpServer({ name: 'who', version: '1.0.0' })
  made.registerTool('who', { description: 'Says who you are' }, () => ({
    content: [{ type: 'text' as const, text: `You are ${authInfo?.extra?.sub}` }],
  }))
  return made
})

async function listen(one: Server): Promise<string> {
  one.listen(0, '127.0.0.1')
  await once(one, 'listening')
  return `http://localhost:${(one.address() as AddressInfo).port}`
}

async function keyPair(alg: string) {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true })
  const named = { kid: crypto.randomUUID(), alg, use: 'sig' }
  return {
    privateKey,
    jwk: { ...(await exportJWK(privateKey)), ...named },
    publicJwk: { ...(await exportJWK(publicKey)), ...named },
  }
}

beforeAll(async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => {})
  ;[origin, idp] = [await listen(server), await listen(idpServer)]
  key = await keyPair('RS256')
  const audience = `${origin}/mcp`
  const provider = new Provider(idp, {
    clients: [
      {
        client_id: 'agent-at-company',
        client_secret: idpSecret,
        token_endpoint_auth_method: 'client_secret_post',
        grant_types: ['authorization_code', TOKEN_EXCHANGE],
        redirect_uris: ['https://agent.example/cb'],
      },
    ],
    jwks: { keys: [key.jwk as never] },
    features: { devInteractions: { enabled: false } },
  })
  provider.registerGrantType(
    TOKEN_EXCHANGE,
    async (ctx) => {
      const { params = {} } = ctx.oidc as unknown as { params: Record<string, string> }
      const assertion = new SignJWT({
        client_id: 'agent',
        resource: params.resource,
        scope: params.scope,
        email: 'ada@company.example',
      })
      ctx.body = {
        issued_token_type: ID_JAG,
        access_token: await assertion
          .setProtectedHeader({ alg: 'RS256', typ: 'oauth-id-jag+jwt', kid: String(key.jwk.kid) })
          .setIssuer(idp)
          // The test's own token says the person.
          .setSubject(String(params.subject_token))
          .setAudience(String(params.audience))
          .setJti(crypto.randomUUID())
          .setIssuedAt()
          .setExpirationTime('5m')
          .sign(key.privateKey),
        token_type: 'N_A',
        expires_in: 300,
        scope: params.scope,
      }
    },
    [
      'audience',
      'resource',
      'scope',
      'subject_token',
      'subject_token_type',
      'requested_token_type',
    ],
    // The resource here is another server's, which `oidc-provider` must not look for.
    [],
  )
  idpServer.on('request', provider.callback())

  const machine = await keyPair('ES256')
  machineKey = machine.jwk
  const redirectUris = ['https://agent.example/cb']
  const config: MiddlewareAuthConfig = {
    basePath: '/auth',
    secret: 'a-secret-of-the-mcp-tests-0123456789abc',
    trustHost: true,
    store: memoryStore(),
    providers: [
      oidc({
        id: 'work',
        name: 'Work',
        issuer: idp,
        clientId: 'latchkey',
        clientSecret: 'x'.repeat(32),
      }),
    ],
    features: [
      authorizationServer({
        apps: {
          agent: { secret, redirectUris, resources: { [audience]: true } },
          nightly: {
            machine: true,
            jwks: { keys: [machine.publicJwk] },
            resources: { [audience]: true },
          },
        },
        resources: { [audience]: { name: 'Who', scopes: { 'who:read': 'See who you are' } } },
        trustedIssuers: { [idp]: { provider: 'work', apps: ['agent'] } },
      }),
    ],
  }
  const app = express()
  app.use('/auth', MiddlewareAuth(config))
  app.use('/.well-known', MiddlewareAuth(config))
  app.use(protectMcp({ audience, scope: 'who:read', machine: true }, config))
  app.all('/mcp', toNodeHandler(tools))
  server.on('request', app)
})

afterAll(async () => {
  await tools.close()
  for (const one of [server, idpServer]) {
    one.closeAllConnections()
    await new Promise((resolve) => one.close(resolve))
  }
  vi.restoreAllMocks()
})

async function connected(authProvider: CrossAppAccessProvider | PrivateKeyJwtProvider) {
  const client = new Client({ name: 'agent', version: '1.0.0' })
  const url = new URL(`${origin}/mcp`)
  await client.connect(new StreamableHTTPClientTransport(url, { authProvider }))
  return client
}

it('an agent of the company calls a tool for a person, without a page', async () => {
  const client = await connected(
    new CrossAppAccessProvider({
      clientId: 'agent',
      clientSecret: secret,
      expectedIssuer: `${origin}/auth`,
      async assertion({ authorizationServerUrl, resourceUrl, scope, fetchFn }) {
        const { jwtAuthGrant } = await discoverAndRequestJwtAuthGrant({
          idpUrl: idp,
          audience: authorizationServerUrl,
          resource: resourceUrl,
          idToken: 'ada',
          clientId: 'agent-at-company',
          clientSecret: idpSecret,
          scope: scope ?? 'who:read',
          fetchFn,
        })
        return jwtAuthGrant
      },
    }),
  )
  expect(await textOf(client)).toMatch(/^You are [\w-]{22}$/)
  await client.close()
})

it('a machine with a key calls it for itself', async () => {
  const client = await connected(
    new PrivateKeyJwtProvider({
      clientId: 'nightly',
      privateKey: machineKey as never,
      algorithm: 'ES256',
      scope: 'who:read',
      expectedIssuer: `${origin}/auth`,
    }),
  )
  expect(await textOf(client)).toBe('You are machine:nightly')
  await client.close()
})
