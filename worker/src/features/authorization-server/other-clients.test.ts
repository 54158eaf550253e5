import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Browser, claimsIn, locationOf } from '../../test-support/browser.js'
import { clientSecret, issuer, redirectUri, resource } from '../../test-support/oauth.js'
import { OPTIONS, oauthPeople } from '../../test-support/oauth-people.js'

/** Libraries that others wrote do every flow, with no check loosened but that localhost has no TLS. */

const APPS = {
  ...OPTIONS,
  apps: {
    ...OPTIONS.apps,
    rsa: { redirectUris: [redirectUri], secret: clientSecret, alg: 'RS256' as const },
    tv: { name: 'Telly', device: true },
  },
}

let made: ReturnType<typeof oauthPeople>
let ada: Browser
/** Hands the requests of the libraries to the service. */
const send = (url: string | URL, init?: object) =>
  made.browser().answer(new Request(url, init as RequestInit))

beforeEach(async () => {
  made = oauthPeople(APPS)
  ada = await made.signIn('one', 'ada')
})

/** A client of `openid-client`, which verifies the signatures of ID tokens too. */
async function clientOf(id: string, secret?: string, authentication?: openid.ClientAuth) {
  const config = await openid.discovery(
    new URL(issuer),
    id,
    secret,
    authentication ?? (secret === undefined ? openid.None() : undefined),
    { execute: [openid.allowInsecureRequests], [openid.customFetch]: send },
  )
  openid.enableNonRepudiationChecks(config)
  return config
}

/** From the app to the person and back. */
async function signInAt(
  config: openid.Configuration,
  changes: Record<string, string> = {},
): Promise<openid.TokenEndpointResponse & openid.TokenEndpointResponseHelpers> {
  const verifier = openid.randomPKCECodeVerifier()
  const state = openid.randomState()
  const nonce = openid.randomNonce()
  const url = openid.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: 'openid profile notes:read offline_access',
    code_challenge: await openid.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    nonce,
    ...changes,
  })
  const answer = await ada.get(url.pathname + url.search)
  const back = answer.status === 200 ? await made.decide(ada, answer) : answer
  return openid.authorizationCodeGrant(config, new URL(locationOf(back)), {
    pkceCodeVerifier: verifier,
    expectedState: state,
    expectedNonce: nonce,
    idTokenExpected: true,
  })
}

describe('openid-client', () => {
  it('signs a person in to a public app, reads UserInfo, refreshes, revokes and signs out', async () => {
    const config = await clientOf('notes')
    expect(config.serverMetadata().supportsPKCE()).toBe(true)
    const tokens = await signInAt(config)
    const { sub } = claimsIn(ada)
    expect(tokens.claims()).toMatchObject({ iss: issuer, sub, aud: 'notes', acr: '1' })
    const info = await openid.fetchUserInfo(config, tokens.access_token, sub)
    expect(info).toMatchObject({ sub, name: expect.any(String) })
    const next = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '')
    expect(next.refresh_token).not.toBe(tokens.refresh_token)
    await openid.tokenRevocation(config, next.refresh_token ?? '')
    const again = openid.refreshTokenGrant(config, next.refresh_token ?? '')
    await expect(again).rejects.toMatchObject({ error: 'invalid_grant' })
    const out = openid.buildEndSessionUrl(config, {
      id_token_hint: tokens.id_token ?? '',
      post_logout_redirect_uri: 'https://app.example/bye',
      state: 'the-state',
    })
    const bye = await ada.get(out.pathname + out.search)
    expect(locationOf(bye)).toBe('https://app.example/bye?state=the-state')
    expect(await ada.session()).toBeNull()
  })

  it.each([
    ['client_secret_basic', openid.ClientSecretBasic],
    ['client_secret_post', openid.ClientSecretPost],
  ])(
    'authenticates a confidential app by %s, whose ID tokens have an RSA signature',
    async (_, authenticate) => {
      const config = await clientOf('rsa', clientSecret, authenticate(clientSecret))
      const tokens = await signInAt(config)
      const [header = ''] = (tokens.id_token ?? '').split('.')
      expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toMatchObject({
        alg: 'RS256',
      })
    },
  )

  it('gets the errors of an app as those of the standard', async () => {
    const config = await clientOf('notes')
    await expect(signInAt(config, { prompt: 'none' })).rejects.toMatchObject({
      error: 'consent_required',
    })
    await expect(signInAt(config, { scope: 'nothing' })).rejects.toMatchObject({
      error: 'invalid_scope',
    })
    await expect(signInAt(config, { code_challenge_method: 'plain' })).rejects.toMatchObject({
      error: 'invalid_request',
    })
  })

  it('signs a device in', async () => {
    const config = await clientOf('tv')
    const started = await openid.initiateDeviceAuthorization(config, { scope: 'openid notes:read' })
    const page = await ada.submit('/auth/device', { user_code: started.user_code })
    await made.decide(ada, page)
    // It waits for the interval before it asks, as RFC 8628 has it.
    const tokens = await openid.pollDeviceAuthorizationGrant(config, { ...started, interval: 0.01 })
    expect(tokens.claims()?.sub).toBe(claimsIn(ada).sub)
  })
})

describe('oauth4webapi', () => {
  const loose = { [oauth.allowInsecureRequests]: true, [oauth.customFetch]: send } as const

  it.each(['oidc', 'oauth2'] as const)('finds the metadata by %s', async (algorithm) => {
    const url = new URL(issuer)
    const answer = await oauth.discoveryRequest(url, { algorithm, ...loose })
    const found = await oauth.processDiscoveryResponse(url, answer)
    expect(found.token_endpoint).toBe(`${issuer}/oauth/token`)
  })

  it('takes an access token at a resource (RFC 9068), and only at its own', async () => {
    const url = new URL(issuer)
    const answer = await oauth.discoveryRequest(url, { algorithm: 'oidc', ...loose })
    const server = await oauth.processDiscoveryResponse(url, answer)
    const tokens = await signInAt(await clientOf('notes'))
    const request = new Request(resource, {
      headers: { authorization: `Bearer ${tokens.access_token}` },
    })
    const claims = await oauth.validateJwtAccessToken(server, request, resource, {
      ...loose,
      [oauth.jwksCache]: {},
      signingAlgorithms: ['EdDSA', 'Ed25519'],
    })
    expect(claims).toMatchObject({ sub: claimsIn(ada).sub, client_id: 'notes' })
    const elsewhere = oauth.validateJwtAccessToken(server, request, 'https://else.example/', loose)
    await expect(elsewhere).rejects.toThrow()
  })
})
