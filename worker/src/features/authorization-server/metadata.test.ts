import { describe, expect, it } from 'vitest'
import { createAuth } from '../../core.js'
import de from '../../languages/tags/de.js'
import { configWith, origin } from '../../test-support/browser.js'
import type { AuthConfig } from '../../types.js'
import { authorizationServer } from './index.js'
import type { AuthorizationServerOptions } from './options.js'

const spa = { redirectUris: ['https://spa.example.com/cb'] }
const api = 'https://api.example.com/'

function serviceWith(options: AuthorizationServerOptions, changes: Partial<AuthConfig> = {}) {
  const auth = createAuth(configWith({ features: [authorizationServer(options)], ...changes }))
  return {
    ask: (path: string, init?: RequestInit, env: object = {}) =>
      auth.request(`${origin}${path}`, init, { NODE_ENV: 'test', ...env }),
  }
}

const ADDRESSES = [
  '/auth/.well-known/openid-configuration',
  '/.well-known/openid-configuration/auth',
  '/.well-known/oauth-authorization-server/auth',
]

describe('metadata', () => {
  it('says exactly what a server with one app has, at three addresses', async () => {
    const { ask } = serviceWith({ apps: { spa } })
    const answers = await Promise.all(ADDRESSES.map((path) => ask(path)))
    const texts = await Promise.all(answers.map((one) => one.text()))
    expect(new Set(texts).size).toBe(1)
    for (const { status, headers } of answers) {
      expect([status, headers.get('content-type')]).toEqual([200, 'application/json'])
      expect(headers.get('cache-control')).toBe('public, max-age=300')
      expect(headers.get('access-control-allow-origin')).toBe('*')
      expect(headers.get('access-control-allow-credentials')).toBeNull()
      expect(headers.getSetCookie()).toEqual([])
    }
    const issuer = `${origin}/auth`
    const methods = ['none', 'client_secret_basic', 'client_secret_post']
    expect(JSON.parse(texts[0] ?? '')).toEqual({
      issuer,
      authorization_endpoint: `${issuer}/oauth/authorize`,
      token_endpoint: `${issuer}/oauth/token`,
      userinfo_endpoint: `${issuer}/oauth/userinfo`,
      jwks_uri: `${issuer}/oauth/jwks.json`,
      revocation_endpoint: `${issuer}/oauth/revoke`,
      end_session_endpoint: `${issuer}/oauth/end-session`,
      scopes_supported: ['openid', 'profile', 'email', 'offline_access'],
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
      token_endpoint_auth_methods_supported: methods,
      revocation_endpoint_auth_methods_supported: methods,
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      acr_values_supported: ['1', '2'],
      claims_supported: [
        ...['iss', 'sub', 'aud', 'iat', 'exp', 'auth_time', 'acr', 'amr', 'sid', 'nonce'],
        ...['name', 'picture', 'email', 'email_verified'],
      ],
      claims_parameter_supported: false,
      request_parameter_supported: false,
      request_uri_parameter_supported: false,
      ui_locales_supported: ['en'],
    })
  })

  it('says what is on besides: devices, keys, open resources, scopes, RSA, languages', async () => {
    const { ask } = serviceWith(
      {
        apps: { spa, tv: { device: true, alg: 'RS256' } },
        resources: {
          [api]: { scopes: { read: 'Read' }, open: true },
          [`${api}b`]: { scopes: { write: 'Write', read: 'Read' } },
        },
        keys: { prefix: 'lk' },
      },
      { languages: [de] },
    )
    expect(await (await ask(ADDRESSES[0] ?? '')).json()).toMatchObject({
      device_authorization_endpoint: `${origin}/auth/oauth/device`,
      scopes_supported: ['openid', 'profile', 'email', 'offline_access', 'read', 'write'],
      grant_types_supported: [
        ...['authorization_code', 'refresh_token'],
        'urn:ietf:params:oauth:grant-type:device_code',
        'urn:ietf:params:oauth:grant-type:token-exchange',
      ],
      id_token_signing_alg_values_supported: ['ES256', 'RS256'],
      ui_locales_supported: ['en', 'de'],
      client_id_metadata_document_supported: true,
    })
  })

  it('follows the base path', async () => {
    const { ask } = serviceWith({ apps: { spa } }, { basePath: '/api/auth' })
    const paths = [
      '/api/auth/.well-known/openid-configuration',
      '/.well-known/openid-configuration/api/auth',
      '/.well-known/oauth-authorization-server/api/auth',
    ]
    for (const path of paths) {
      expect(await (await ask(path)).json()).toMatchObject({ issuer: `${origin}/api/auth` })
    }
    for (const path of ADDRESSES) expect((await ask(path)).status).toBe(404)
  })

  it.each([
    '/.well-known/openid-configuration',
    '/.well-known/openid-configuration/',
    '/.well-known/openid-configuration/auth/',
    '/.well-known/openid-configuration/other',
    '/.well-known/openid-configuration/x/auth',
    '/.well-known/openid-configuration/%61uth',
    '/.well-known/openid-configurationauth',
    '/.well-known/oauth-protected-resource/auth',
    '/auth/.well-known/oauth-authorization-server',
    '/x/.well-known/openid-configuration/auth',
  ])('is not at %s', async (path) => {
    const { ask } = serviceWith({ apps: { spa } })
    expect((await ask(path)).status).toBe(404)
  })

  it('answers HEAD without a body, and no other method', async () => {
    const { ask } = serviceWith({ apps: { spa } })
    for (const path of ADDRESSES) {
      const head = await ask(path, { method: 'HEAD' })
      expect([head.status, await head.text()]).toEqual([200, ''])
      const post = await ask(path, { method: 'POST' })
      expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    }
  })
})

describe('other origins', () => {
  const { ask } = serviceWith({ apps: { spa, tv: { device: true } }, keys: { prefix: 'lk' } })

  it.each<readonly [path: string, methods: string]>([
    ...ADDRESSES.map((path) => [path, 'GET, HEAD'] as const),
    ['/auth/oauth/jwks.json', 'GET, HEAD'],
    ['/auth/oauth/token', 'POST'],
    ['/auth/oauth/revoke', 'POST'],
    ['/auth/oauth/device', 'POST'],
    ['/auth/oauth/userinfo', 'GET, HEAD, POST'],
  ])('may ask %s, after a preflight', async (path, methods) => {
    const headers = { origin: 'https://spa.example.com', 'access-control-request-method': 'POST' }
    const answer = await ask(path, { method: 'OPTIONS', headers })
    expect([answer.status, await answer.text()]).toEqual([204, ''])
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(answer.headers.get('access-control-allow-methods')).toBe(methods)
    expect(answer.headers.get('access-control-allow-headers')).toBe(
      'Authorization, Content-Type, MCP-Protocol-Version',
    )
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull()
    const asked = await ask(path, { method: methods.startsWith('GET') ? 'GET' : 'POST', headers })
    expect(asked.headers.get('access-control-allow-origin')).toBe('*')
    expect(asked.headers.get('access-control-expose-headers')).toBe('WWW-Authenticate')
  })

  it.each([...ADDRESSES, '/auth/oauth/token', '/auth/oauth/jwks.json', '/auth/oauth/userinfo'])(
    'may send to %s each header that begins with mcp-, and no other',
    async (path) => {
      const asked = 'authorization,content-type,cookie,mcp-method,mcp-name,mcp-protocol-version'
      const headers = { 'access-control-request-headers': asked }
      const answer = await ask(path, { method: 'OPTIONS', headers })
      expect(answer.headers.get('access-control-allow-headers')).toBe(
        'Authorization, Content-Type, MCP-Protocol-Version, mcp-method, mcp-name',
      )
    },
  )

  it.each([
    ...['/auth/oauth/authorize', '/auth/oauth/consent', '/auth/oauth/end-session', '/auth/device'],
    ...['/auth/apps', '/auth/apps/remove', '/auth/keys', '/auth/keys/create', '/auth/session'],
    ...['/auth/csrf', '/auth/jwks.json', '/auth/nothing', '/.well-known/webauthn'],
  ])('attack: no script of theirs reads %s', async (path) => {
    const headers = { origin: 'https://spa.example.com' }
    for (const method of ['OPTIONS', 'GET', 'POST']) {
      const answer = await ask(path, { method, headers })
      expect(answer.headers.get('access-control-allow-origin')).toBeNull()
      if (method === 'OPTIONS') expect([404, 405]).toContain(answer.status)
    }
  })
})

describe('switched off, none of its routes is there', () => {
  const paths = [
    ...ADDRESSES,
    ...['/auth/oauth/authorize', '/auth/oauth/jwks.json', '/auth/oauth/userinfo', '/auth/apps'],
    ...['/auth/device', '/auth/keys', '/auth/oauth/end-session', '/auth/account/apps'],
  ]

  it.each(paths)('%s', async (path) => {
    const { ask } = serviceWith({})
    expect((await ask(path)).status).toBe(404)
    expect((await ask(path, { method: 'OPTIONS' })).status).toBe(404)
  })

  it('by variables it is on', async () => {
    const { ask } = serviceWith({})
    const env = { AUTH_APP_SPA_REDIRECT_URIS: 'https://spa.example.com/cb' }
    expect((await ask(ADDRESSES[0] ?? '', {}, env)).status).toBe(200)
  })

  it.each(['/auth/oauth/device', '/auth/device', '/auth/keys', '/auth/keys/create'])(
    '%s is not there with an app alone',
    async (path) => {
      const { ask } = serviceWith({ apps: { spa } })
      for (const method of ['GET', 'POST', 'OPTIONS']) {
        expect((await ask(path, { method })).status).toBe(404)
      }
    },
  )
})
