import * as openid from 'openid-client'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Browser, claimsIn, locationOf } from '../../test-support/browser.js'
import { clientSecret, issuer } from '../../test-support/oauth.js'
import { answerIn, backFrom, errorIn, oauthPeople } from '../../test-support/oauth-people.js'

/**
 * A test for each module of the plans "OpenID Connect Core: Basic Certification Profile" and "Config" of the OpenID Foundation's conformance
 * suite, under the module's name. `openid-client` verifies each answer and each signature.
 *
 * Differences from the suite:
 * - Its requests have no PKCE, but those of one module. The service demands it of every app (OAuth 2.1, 4.1.1), so that each
 *   request here has it.
 * - Its modules for responses other than `code`, for dynamic registration and for signed requests are not part of these plans.
 */
const callback = 'https://suite.example/callback'
const secrets = { secret: clientSecret, alg: 'RS256' as const }
const APPS = {
  apps: {
    first: { ...secrets, name: 'First', redirectUris: [callback] },
    second: { ...secrets, name: 'Second', redirectUris: ['https://suite.example/second'] },
  },
}

let made: ReturnType<typeof oauthPeople>
let ada: Browser
let config: openid.Configuration

const send = (url: string | URL, init?: object) =>
  made.browser().answer(new Request(url, init as RequestInit))
const pass = (seconds: number) => void vi.setSystemTime(Date.now() + seconds * 1000)

async function configure(authenticate = openid.ClientSecretBasic(clientSecret)) {
  const made = await openid.discovery(new URL(issuer), 'first', clientSecret, authenticate, {
    execute: [openid.allowInsecureRequests],
    [openid.customFetch]: send,
  })
  openid.enableNonRepudiationChecks(made)
  return made
}

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  made = oauthPeople(APPS)
  ada = await made.signIn('one', 'ada')
  config = await configure()
})

afterEach(() => void vi.useRealTimers())

const verifier = openid.randomPKCECodeVerifier()

type Fields = Readonly<Record<string, string>>

/** The address of a request of the suite. */
async function requestOf(fields: Fields = {}): Promise<URL> {
  return openid.buildAuthorizationUrl(config, {
    redirect_uri: callback,
    scope: 'openid',
    state: 'the-state',
    nonce: 'the-nonce',
    code_challenge: await openid.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...fields,
  })
}

/** What a browser gets for a request; the person allows it, where a page asks. */
async function answerTo(url: URL, one = ada): Promise<Response> {
  const answer = await one.get(url.pathname + url.search)
  return answer.status === 200 ? made.decide(one, answer) : answer
}

/** Exchanges the code of an answer. Everything in the answers is checked. */
function exchange(answer: Response, expectedNonce: string | undefined = 'the-nonce', as = config) {
  return openid.authorizationCodeGrant(as, new URL(locationOf(answer)), {
    pkceCodeVerifier: verifier,
    expectedState: 'the-state',
    ...(expectedNonce === undefined ? {} : { expectedNonce }),
    idTokenExpected: true,
  })
}

/** From the request to the claims of the ID token and of UserInfo. */
async function flow(fields: Fields = {}) {
  const tokens = await exchange(await answerTo(await requestOf(fields)))
  const claims = tokens.claims() as openid.IDToken
  const info = await openid.fetchUserInfo(config, tokens.access_token, claims.sub)
  return { tokens, claims, info }
}

const userInfo = (init: RequestInit) => send(`${issuer}/oauth/userinfo`, init)

describe('Basic OP', () => {
  it('oidcc-server', async () => {
    const { tokens, claims, info } = await flow()
    expect(tokens.token_type).toBe('bearer')
    expect(claims).toMatchObject({ iss: issuer, aud: 'first', sub: claimsIn(ada).sub })
    expect(info).toEqual({ sub: claims.sub })
  })

  it('oidcc-response-type-missing', async () => {
    const url = await requestOf()
    url.searchParams.delete('response_type')
    expect(answerIn(await answerTo(url))).toMatchObject({
      error: 'invalid_request',
      state: 'the-state',
      iss: issuer,
    })
  })

  it('oidcc-userinfo-get', async () => {
    const { tokens, claims } = await flow()
    const headers = { authorization: `Bearer ${tokens.access_token}` }
    expect(await (await userInfo({ headers })).json()).toEqual({ sub: claims.sub })
  })

  it('oidcc-userinfo-post-header', async () => {
    const { tokens, claims } = await flow()
    const headers = { authorization: `Bearer ${tokens.access_token}` }
    expect(await (await userInfo({ headers, method: 'POST' })).json()).toEqual({ sub: claims.sub })
  })

  it('oidcc-userinfo-post-body: not taken, a warning of the suite: tokens in bodies end up in logs (OAuth 2.1, 5.1)', async () => {
    const { tokens } = await flow()
    const body = new URLSearchParams({ access_token: tokens.access_token })
    const answer = await userInfo({ method: 'POST', body })
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
  })

  it('oidcc-ensure-request-without-nonce-succeeds-for-code-flow', async () => {
    const url = await requestOf()
    url.searchParams.delete('nonce')
    const answer = await answerTo(url)
    const tokens = await openid.authorizationCodeGrant(config, new URL(locationOf(answer)), {
      pkceCodeVerifier: verifier,
      expectedState: 'the-state',
      idTokenExpected: true,
    })
    expect(tokens.claims()).not.toHaveProperty('nonce')
  })

  it('oidcc-scope-profile', async () => {
    const { info } = await flow({ scope: 'openid profile' })
    expect(info).toMatchObject({ name: 'ada at one' })
  })

  it('oidcc-scope-email', async () => {
    const mailed = await made.signIn('email', 'ada@people.example')
    const tokens = await exchange(
      await answerTo(await requestOf({ scope: 'openid email' }), mailed),
    )
    const sub = tokens.claims()?.sub ?? ''
    expect(await openid.fetchUserInfo(config, tokens.access_token, sub)).toMatchObject({
      email: 'ada@people.example',
      email_verified: true,
    })
  })

  it.each([
    ['oidcc-scope-address', 'openid address'],
    ['oidcc-scope-phone', 'openid phone'],
  ])(
    '%s: ignored, a warning of the suite: the service knows no such claims, and its metadata says so',
    async (_, scope) => {
      const { tokens, claims, info } = await flow({ scope })
      expect(tokens.scope).toBe('openid')
      expect(info).toEqual({ sub: claims.sub })
      expect(config.serverMetadata().scopes_supported).not.toContain(scope.slice(7))
    },
  )

  it('oidcc-scope-all: those that there are', async () => {
    const { tokens, info } = await flow({ scope: 'openid profile email address phone' })
    expect(tokens.scope).toBe('openid profile email')
    expect(info).toMatchObject({ name: 'ada at one' })
  })

  it('oidcc-ensure-other-scope-order-succeeds', async () => {
    const { info } = await flow({ scope: 'email profile openid' })
    expect(info).toMatchObject({ name: 'ada at one' })
  })

  it.each(['page', 'popup'])('oidcc-display-%s: the same page', async (display) => {
    const { claims } = await flow({ display })
    expect(claims.sub).toBe(claimsIn(ada).sub)
  })

  it('oidcc-prompt-login', async () => {
    const first = await flow()
    pass(2)
    const url = await requestOf({ prompt: 'login' })
    const back = backFrom(await ada.get(url.pathname + url.search))
    pass(2)
    await made.signIn('one', 'ada', ada)
    const tokens = await exchange(await answerTo(new URL(back, issuer)))
    const [before, after] = [first.claims.auth_time ?? 0, tokens.claims()?.auth_time ?? 0]
    expect(after).toBeGreaterThan(before)
    expect(tokens.claims()?.sub).toBe(first.claims.sub)
  })

  it('oidcc-prompt-none-not-logged-in', async () => {
    const answer = await answerTo(await requestOf({ prompt: 'none' }), made.browser())
    expect(answerIn(answer)).toMatchObject({
      error: 'login_required',
      state: 'the-state',
      iss: issuer,
    })
  })

  it('oidcc-prompt-none-logged-in', async () => {
    const first = await flow()
    pass(2)
    const second = await flow({ prompt: 'none' })
    expect(second.claims.sub).toBe(first.claims.sub)
    expect(second.claims.auth_time).toBe(first.claims.auth_time)
  })

  it('oidcc-max-age-1', async () => {
    const first = await flow()
    pass(2)
    const url = await requestOf({ max_age: '1' })
    const back = backFrom(await ada.get(url.pathname + url.search))
    await made.signIn('one', 'ada', ada)
    const tokens = await exchange(await answerTo(new URL(back, issuer)))
    const time = tokens.claims()?.auth_time ?? 0
    expect(time).toBeGreaterThan(first.claims.auth_time ?? 0)
    expect(Date.now() / 1000 - time).toBeLessThan(2)
  })

  it('oidcc-max-age-10000', async () => {
    const first = await flow()
    pass(2)
    const second = await flow({ max_age: '10000' })
    expect(second.claims.auth_time).toBe(first.claims.auth_time)
  })

  it.each([
    ['oidcc-ensure-request-with-unknown-parameter-succeeds', { extra: 'foobar' }],
    ['oidcc-login-hint', { login_hint: 'ada@people.example' }],
    ['oidcc-ui-locales', { ui_locales: 'se' }],
    ['oidcc-claims-locales', { claims_locales: 'se' }],
  ])('%s', async (_, fields) => {
    expect((await flow(fields as Fields)).claims.sub).toBe(claimsIn(ada).sub)
  })

  it('oidcc-id-token-hint', async () => {
    const { tokens, claims } = await flow()
    const again = await flow({ prompt: 'none', id_token_hint: tokens.id_token ?? '' })
    expect(again.claims.sub).toBe(claims.sub)
  })

  it('oidcc-ensure-request-with-acr-values-succeeds', async () => {
    const { claims } = await flow({ acr_values: '1 2' })
    expect(claims.acr).toBe('1')
  })

  it('oidcc-codereuse', async () => {
    const answer = await answerTo(await requestOf())
    await exchange(answer)
    await expect(exchange(answer)).rejects.toMatchObject({ error: 'invalid_grant' })
  })

  it('oidcc-codereuse-30seconds: the access token that the code gave ends too', async () => {
    const answer = await answerTo(await requestOf())
    const tokens = await exchange(answer)
    pass(31)
    await expect(exchange(answer)).rejects.toMatchObject({ error: 'invalid_grant' })
    const headers = { authorization: `Bearer ${tokens.access_token}` }
    expect((await userInfo({ headers })).status).toBe(401)
  })

  it('oidcc-ensure-registered-redirect-uri', async () => {
    const answer = await answerTo(await requestOf({ redirect_uri: `${callback}/other` }))
    expect([answer.status, locationOf(answer)]).toEqual([400, ''])
  })

  it('oidcc-ensure-post-request-succeeds', async () => {
    const { pathname, searchParams } = await requestOf()
    const moved = await ada.post(pathname, Object.fromEntries(searchParams))
    expect(moved.status).toBe(303)
    const tokens = await exchange(await answerTo(new URL(locationOf(moved), issuer)))
    expect(tokens.claims()?.sub).toBe(claimsIn(ada).sub)
  })

  it('oidcc-server-client-secret-post', async () => {
    const other = await configure(openid.ClientSecretPost(clientSecret))
    const tokens = await exchange(await answerTo(await requestOf()), 'the-nonce', other)
    expect(tokens.claims()?.aud).toBe('first')
  })

  it.each([
    [
      'oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported',
      { request_uri: 'https://suite.example/request.jwt' },
      'request_uri_not_supported',
    ],
    [
      'oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported',
      { request: 'eyJhbGciOiJub25lIn0.e30.' },
      'request_not_supported',
    ],
    [
      'oidcc-ensure-request-object-with-redirect-uri',
      { request: 'eyJhbGciOiJub25lIn0.eyJyZWRpcmVjdF91cmkiOiJodHRwczovL2V2aWwuZXhhbXBsZS8ifQ.' },
      'request_not_supported',
    ],
  ])('%s: rejected', async (_, fields, error) => {
    expect(errorIn(await answerTo(await requestOf(fields as Fields)))).toBe(error)
    expect(config.serverMetadata().request_uri_parameter_supported).toBe(false)
  })

  it('oidcc-claims-essential: ignored, a warning of the suite: the metadata says that there is no such parameter', async () => {
    const { info } = await flow({ claims: '{"userinfo":{"name":{"essential":true}}}' })
    expect(info).not.toHaveProperty('name')
    expect(config.serverMetadata().claims_parameter_supported).toBe(false)
  })

  it('oidcc-refresh-token: also of no use to the second client', async () => {
    const { tokens, claims } = await flow({ scope: 'openid offline_access', prompt: 'consent' })
    const other = await openid.discovery(new URL(issuer), 'second', clientSecret, undefined, {
      execute: [openid.allowInsecureRequests],
      [openid.customFetch]: send,
    })
    const refreshToken = tokens.refresh_token ?? ''
    const stolen = openid.refreshTokenGrant(other, refreshToken)
    await expect(stolen).rejects.toMatchObject({ error: 'invalid_grant' })
    const next = await openid.refreshTokenGrant(config, refreshToken)
    expect(next.refresh_token).not.toBe(refreshToken)
    const info = await openid.fetchUserInfo(config, next.access_token, claims.sub)
    expect(info.sub).toBe(claims.sub)
  })

  it('oidcc-ensure-request-with-valid-pkce-succeeds', async () => {
    const answer = await answerTo(await requestOf())
    const { code } = answerIn(answer)
    const wrong = openid.authorizationCodeGrant(config, new URL(locationOf(answer)), {
      pkceCodeVerifier: openid.randomPKCECodeVerifier(),
      expectedState: 'the-state',
      expectedNonce: 'the-nonce',
    })
    await expect(wrong).rejects.toMatchObject({ error: 'invalid_grant' })
    expect(code).toBeDefined()
    expect((await exchange(answer)).claims()?.nonce).toBe('the-nonce')
  })
})

describe('Config OP', () => {
  it('oidcc-discovery-endpoint-verification', async () => {
    const metadata = config.serverMetadata()
    expect(metadata).toMatchObject({
      issuer,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      code_challenge_methods_supported: ['S256'],
    })
    expect(metadata.id_token_signing_alg_values_supported).toContain('RS256')
    expect(metadata.scopes_supported).toContain('openid')
    expect(metadata.grant_types_supported).toContain('authorization_code')
    for (const member of ['authorization', 'token', 'userinfo', 'revocation', 'end_session']) {
      expect(String(metadata[`${member}_endpoint`])).toMatch(`${issuer}/oauth/`)
    }
    expect(metadata.claims_supported).toEqual(expect.arrayContaining(['sub', 'iss', 'auth_time']))
    const answer = await send(metadata.jwks_uri ?? '')
    const { keys } = (await answer.json()) as { keys: Record<string, unknown>[] }
    expect(new Set(keys.map(({ kid }) => kid)).size).toBe(keys.length)
    for (const key of keys) {
      expect(key).toMatchObject({ use: 'sig', alg: expect.any(String) })
      for (const secret of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k'])
        expect(key).not.toHaveProperty(secret)
    }
    expect(keys.some(({ kty, alg }) => kty === 'RSA' && alg === 'RS256')).toBe(true)
  })
})
