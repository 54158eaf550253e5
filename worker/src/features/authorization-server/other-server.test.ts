import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { errors, Provider } from 'oidc-provider'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { locationOf } from '../../test-support/browser.js'
import { challenge, clientSecret, issuer, redirectUri, resource } from '../../test-support/oauth.js'
import { OPTIONS, oauthPeople } from '../../test-support/oauth-people.js'

/**
 * The same wrong requests at `oidc-provider`, the certified implementation. If the answers differ, the row says why.
 */
const web = OPTIONS.apps.web.redirectUris[0] ?? ''
const made = oauthPeople()
let server: Server
let theirs: string

beforeAll(async () => {
  // It warns of its own test settings.
  vi.spyOn(console, 'warn').mockImplementation(() => {})
  server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  theirs = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = new Provider(theirs, {
    clients: [
      {
        client_id: 'notes',
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
      },
      {
        client_id: 'web',
        client_secret: clientSecret,
        redirect_uris: [web],
        grant_types: ['authorization_code', 'refresh_token'],
      },
    ],
    pkce: { required: () => true },
    scopes: ['openid', 'profile', 'email', 'offline_access', 'notes:read', 'notes:write'],
    features: {
      devInteractions: { enabled: false },
      revocation: { enabled: true },
      rpInitiatedLogout: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resource,
        getResourceServerInfo(_, named) {
          if (named !== resource) throw new errors.InvalidTarget()
          return { scope: 'notes:read notes:write' }
        },
      },
    },
    renderError(ctx, out) {
      ctx.type = 'text'
      ctx.body = JSON.stringify(out)
    },
  })
  server.on('request', provider.callback())
})

afterAll(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  vi.restoreAllMocks()
})

type Fields = Readonly<Record<string, string | readonly string[] | undefined>>
/** Our other answer, and its reason. */
type Difference = readonly [ours: string, theirs: string, why: string]

function encoded(fields: Fields): string {
  const all = new URLSearchParams()
  for (const [name, values = []] of Object.entries(fields))
    for (const value of [values].flat()) all.append(name, value as string)
  return String(all)
}

const GOOD = {
  response_type: 'code',
  client_id: 'notes',
  redirect_uri: redirectUri,
  code_challenge: challenge,
  code_challenge_method: 'S256',
  scope: 'openid notes:read',
  state: 'the-state',
}

/** Where an answer of the authorization endpoint leads: to the app with an error, to a page with it, or to a sign-in. */
function outcomeOf(answer: Response): string {
  const to = locationOf(answer)
  if (to === '') return `page ${answer.status}`
  const { searchParams, hash } = new URL(to, theirs)
  const error = searchParams.get('error') ?? new URLSearchParams(hash.slice(1)).get('error')
  if (!to.startsWith('https://app.example/') && !to.startsWith('https://web.example/')) {
    return 'signs in'
  }
  return `app ${error}`
}

describe('a wrong request for a code', () => {
  it.each<[what: string, fields: Fields, difference?: Difference]>([
    ['nothing wrong', {}],
    ['no client_id', { client_id: undefined }],
    ['an unknown client_id', { client_id: 'nobody' }],
    ['client_id twice', { client_id: ['notes', 'web'] }],
    [
      'no redirect_uri',
      { redirect_uri: undefined },
      [
        'page 400',
        'signs in',
        'OAuth 2.1 lets an app with one redirect URI leave it out; here every request names it',
      ],
    ],
    ['another redirect_uri', { redirect_uri: 'https://evil.example/' }],
    ['a redirect_uri below', { redirect_uri: `${redirectUri}/x` }],
    ['a redirect_uri with a query', { redirect_uri: `${redirectUri}?x=1` }],
    ['a redirect_uri with a fragment', { redirect_uri: `${redirectUri}#x` }],
    ['redirect_uri in upper case', { redirect_uri: redirectUri.toUpperCase() }],
    [
      'redirect_uri twice',
      { redirect_uri: [redirectUri, redirectUri] },
      ['page 400', 'app invalid_request', 'neither of two addresses is chosen'],
    ],
    ['the redirect_uri of another app', { redirect_uri: web }],
    ['no response_type', { response_type: undefined }],
    ['an unknown response_type', { response_type: 'magic' }],
    ['the implicit flow', { response_type: 'token' }],
    [
      'an ID token from here',
      { response_type: 'id_token', nonce: 'n' },
      [
        'app unsupported_response_type',
        'app invalid_request',
        'theirs judges what the flow lacks first',
      ],
    ],
    [
      'the hybrid flow',
      { response_type: 'code id_token', nonce: 'n' },
      [
        'app unsupported_response_type',
        'app invalid_request',
        'theirs judges what the flow lacks first',
      ],
    ],
    [
      'response_mode fragment',
      { response_mode: 'fragment' },
      [
        'app invalid_request',
        'signs in',
        'here the only response mode is query, as the metadata says',
      ],
    ],
    [
      'response_mode form_post',
      { response_mode: 'form_post' },
      [
        'app invalid_request',
        'signs in',
        'here the only response mode is query, as the metadata says',
      ],
    ],
    [
      'an unknown response_mode',
      { response_mode: 'magic' },
      [
        'app invalid_request',
        'app unsupported_response_mode',
        'unsupported_response_mode is of JARM alone, which is left out here',
      ],
    ],
    ['no code_challenge', { code_challenge: undefined, code_challenge_method: undefined }],
    ['a method without a challenge', { code_challenge: undefined }],
    ['no code_challenge_method', { code_challenge_method: undefined }],
    ['code_challenge_method plain', { code_challenge_method: 'plain' }],
    ['a short code_challenge', { code_challenge: 'short' }],
    ['a long code_challenge', { code_challenge: 'a'.repeat(129) }],
    ['a code_challenge with other characters', { code_challenge: `${challenge.slice(1)}=` }],
    ['prompt none beside login', { prompt: 'none login' }],
    ['prompt none', { prompt: 'none' }],
    [
      'an unknown prompt',
      { prompt: 'magic' },
      [
        'signs in',
        'app invalid_request',
        'an unknown value is ignored, so that later values of a standard break no app',
      ],
    ],
    ['a max_age in words', { max_age: 'x' }],
    ['a negative max_age', { max_age: '-1' }],
    ['state twice', { state: ['a', 'b'] }],
    ['scope twice', { scope: ['openid', 'profile'] }],
    [
      'an unknown scope alone',
      { scope: 'magic' },
      ['app invalid_scope', 'signs in', 'a grant without any scope that was asked has no use'],
    ],
    ['an unknown resource', { resource: 'https://else.example/' }],
    ['a resource with a fragment', { resource: `${resource}#x` }],
    ['two resources', { resource: [resource, 'https://else.example/'] }],
    ['a request object', { request: 'eyJhbGciOiJub25lIn0.e30.' }],
    ['a request_uri', { request_uri: 'https://app.example/request' }],
    [
      'registration',
      { registration: '{}' },
      [
        'signs in',
        'app registration_not_supported',
        'an unknown parameter is ignored (RFC 6749, 3.1)',
      ],
    ],
    [
      'a forged id_token_hint',
      { id_token_hint: 'x.y.z' },
      [
        'app login_required',
        'app invalid_request',
        'a hint that is not ours names no person, so that none can be the expected one',
      ],
    ],
  ])('%s', async (_, fields, difference) => {
    const query = encoded({ ...GOOD, ...fields })
    const [own, other] = await Promise.all([
      made.browser().get(`/auth/oauth/authorize?${query}`),
      fetch(`${theirs}/auth?${query}`, { redirect: 'manual' }),
    ])
    const [ours, expected] = difference ?? [outcomeOf(other), outcomeOf(other)]
    expect([outcomeOf(own), outcomeOf(other)]).toEqual([ours, expected])
  })
})

const basic = (id: string, secret: string) => ({
  authorization: `Basic ${btoa(`${id}:${secret}`)}`,
})
const code = { grant_type: 'authorization_code', code: 'made-up', code_verifier: 'v'.repeat(43) }
const refresh = { grant_type: 'refresh_token', refresh_token: 'made-up' }

describe('a wrong request for tokens', () => {
  it.each<
    [what: string, fields: Fields, headers?: Record<string, string>, difference?: Difference]
  >([
    ['nothing', {}],
    ['no grant_type', { client_id: 'notes' }],
    ['an unknown grant_type', { client_id: 'notes', grant_type: 'magic' }],
    ['passwords', { client_id: 'notes', grant_type: 'password', username: 'a', password: 'b' }],
    ['client_credentials', { client_id: 'notes', grant_type: 'client_credentials' }],
    ['an unknown app', { ...code, client_id: 'nobody' }],
    ['no app', code],
    ['no code', { ...code, client_id: 'notes', code: undefined }],
    ['a made-up code', { ...code, client_id: 'notes', redirect_uri: redirectUri }],
    ['no refresh token', { ...refresh, client_id: 'notes', refresh_token: undefined }],
    ['a made-up refresh token', { ...refresh, client_id: 'notes' }],
    ['a field twice', { ...refresh, client_id: 'notes', refresh_token: ['a', 'b'] }],
    ['a confidential app without its secret', { ...refresh, client_id: 'web' }],
    ['a confidential app with a wrong secret', refresh, basic('web', 'wrong')],
    [
      'the secret in the body, and a made-up token',
      { ...refresh, client_id: 'web', client_secret: clientSecret },
    ],
    ['a wrong secret in the body', { ...refresh, client_id: 'web', client_secret: 'wrong' }],
    ['a public app with a secret', { ...refresh, client_id: 'notes', client_secret: 'x' }],
    ['a public app with a secret in the header', refresh, basic('notes', 'x')],
    [
      'credentials in two places',
      { ...refresh, client_id: 'web', client_secret: clientSecret },
      basic('web', clientSecret),
    ],
    ['two apps', { ...refresh, client_id: 'notes' }, basic('web', clientSecret)],
    [
      'a header that is not Basic',
      { ...refresh, client_id: 'notes' },
      { authorization: 'Basic !' },
      ['401 invalid_client', '400 invalid_request', 'a header that cannot be read proves no app'],
    ],
    ['JSON', { ...refresh, client_id: 'notes' }, { 'content-type': 'application/json' }],
  ])('%s', async (_, fields, headers = {}, difference) => {
    const body = encoded(fields)
    const type = { 'content-type': 'application/x-www-form-urlencoded', ...headers }
    const init = { method: 'POST', body, headers: type }
    const answers = await Promise.all([
      made.browser().answer(new Request(`${issuer}/oauth/token`, init)),
      fetch(`${theirs}/token`, init),
    ])
    const [own, other] = await Promise.all(
      answers.map(async (answer) => {
        const { error } = (await answer.json()) as { error?: string }
        return `${answer.status} ${error}`
      }),
    )
    const [ours, expected] = difference ?? [other, other]
    expect([own, other]).toEqual([ours, expected])
  })
})
