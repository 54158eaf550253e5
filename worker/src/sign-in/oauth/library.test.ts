import { SignJWT } from 'jose'
import * as oauth from 'oauth4webapi'
import { beforeEach, describe, expect, it } from 'vitest'
import { type TestIssuer, testIssuer } from '../../test-support/issuer.js'

/**
 * What oauth4webapi accepts and refuses where our own code reads tokens and ID tokens: the reasons
 * of docs/decisions/sign-in.md. A test that fails here means that the library has changed, and that the
 * decision has to be reviewed.
 */
let issuer: TestIssuer
const client: oauth.Client = { client_id: 'the-client-id' }
const now = () => Math.floor(Date.now() / 1000)

beforeEach(async () => {
  issuer = await testIssuer()
})

/** Runs a sign-in up to its ID token, as in the library's documentation. */
async function signIn({ hasSignatureCheck = false } = {}) {
  const server = issuer.document() as unknown as oauth.AuthorizationServer
  const options = { [oauth.customFetch]: issuer.fetch as never }
  const back = new URLSearchParams({ code: 'the-nonce', state: 'the-state' })
  const checked = oauth.validateAuthResponse(server, client, back, 'the-state')
  const answer = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.ClientSecretPost('the-client-secret'),
    checked,
    'https://app.example/callback',
    'a-code-verifier-of-43-characters-0123456789ab',
    options,
  )
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, answer, {
    expectedNonce: 'the-nonce',
    requireIdToken: true,
  })
  if (hasSignatureCheck) await oauth.validateApplicationLevelSignature(server, answer, options)
  return tokens
}

it('a sign-in without a fault succeeds', async () => {
  await expect(signIn({ hasSignatureCheck: true })).resolves.toHaveProperty('id_token')
})

describe('the library accepts what we refuse', () => {
  it('a forged signature, unless a second function is called', async () => {
    const stranger = await testIssuer()
    issuer.sign = (claims) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: 'RS256', kid: 'key-1' })
        .sign(stranger.privateKey())
    await expect(signIn()).resolves.toHaveProperty('id_token')
    await expect(signIn({ hasSignatureCheck: true })).rejects.toThrow()
  })

  it.each([
    ['an at_hash of another access token', () => ({ at_hash: 'bm90LXRoZS1yaWdodC1vbmU' })],
    ['an azp of another client if there is one audience', () => ({ azp: 'another-client' })],
    ['an ID token of an hour ago', () => ({ iat: now() - 3600 })],
    ['a subject of 10,000 characters', () => ({ sub: 'x'.repeat(10_000) })],
  ])('%s', async (_, claims) => {
    issuer.claims = claims()
    await expect(signIn({ hasSignatureCheck: true })).resolves.toHaveProperty('id_token')
  })

  it('an access token of characters that no header can hold', async () => {
    issuer.tokens = { access_token: 'a\r\nb' }
    await expect(signIn({ hasSignatureCheck: true })).resolves.toHaveProperty('access_token')
  })
})

describe('the library refuses what real servers send', () => {
  it.each([
    ['members that are null', { refresh_token: null }],
    ['a list of scopes', { scope: ['openid', 'email'] }],
    ['a lifetime that is null', { expires_in: null }],
  ])('%s', async (_, tokens) => {
    issuer.tokens = tokens
    await expect(signIn()).rejects.toThrow()
  })

  it('the issuer of a tenant, if the discovery document is of all tenants', async () => {
    issuer.claims = { iss: 'https://issuer.example/tenant-1' }
    await expect(signIn()).rejects.toThrow('iss')
  })
})

it('an error with status 200 loses its code, which the operator needs in the log', async () => {
  issuer.answers = { token: () => Response.json({ error: 'invalid_grant', log_id: 'log-1' }) }
  const failure = await signIn().catch((error: Error) => error)
  expect(failure).not.toBeInstanceOf(oauth.ResponseBodyError)
  expect(String(failure)).not.toContain('invalid_grant')
})
