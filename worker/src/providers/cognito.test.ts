import { expect, test } from 'vitest'
import { customFetch } from '../lib/symbols.js'
import { resolveProviders } from '../sign-in/kinds.js'
import { Browser, configWith, errorOf, signInAt } from '../test-support/browser.js'
import { testIssuer } from '../test-support/issuer.js'
import cognito from './cognito.js'

/** As in the documentation of Cognito: the ID token has a boolean, the user info a text. */
const claims = {
  sub: '248289761001',
  'cognito:username': 'ada',
  'cognito:groups': ['analysts'],
  token_use: 'id',
}
const userinfo = {
  sub: '248289761001',
  username: 'ada',
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  email_verified: 'true',
}

const client = { clientId: 'the-client-id', clientSecret: 'the-client-secret' }
const pool = 'https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_a1B2c3D4e'

async function signIn(changes: { claims?: object; userinfo?: object } = {}) {
  const issuer = await testIssuer(pool)
  issuer.claims = { ...claims, ...changes.claims }
  issuer.userinfo = { ...userinfo, ...changes.userinfo }
  // The pool's endpoints are on its own domain.
  const at = 'https://example.auth.eu-west-1.amazoncognito.com/oauth2'
  issuer.metadata = { authorization_endpoint: `${at}/authorize`, token_endpoint: `${at}/token` }
  const provider = cognito({ ...client, issuer: pool, [customFetch]: issuer.fetch })
  const browser = new Browser(configWith({ providers: [provider] }))
  const error = errorOf(await signInAt(browser, 'cognito'))
  return { error, user: (await browser.session())?.user }
}

test('signs in by user info that writes booleans as text', async () => {
  expect((await signIn()).user).toMatchObject({ name: 'Ada Lovelace', email: 'ada@example.com' })
})

test.each([
  ['in the user info, as text', { userinfo: { email_verified: 'false' } }],
  ['in the ID token', { claims: { email_verified: false } }],
])('an address that is unverified %s is left out', async (_, changes) => {
  expect((await signIn(changes)).user).toMatchObject({ name: 'Ada Lovelace', email: null })
})

test.each(['yes', 1, 'TRUE'])('email_verified %j is refused', async (email_verified) => {
  const { error } = await signIn({ userinfo: { email_verified } })
  expect(error).toBe('/auth/signin OAuthCallbackError')
})

test('without an issuer, the error names the variable that sets it', async () => {
  const { misconfigured } = await resolveProviders([cognito(client)], {})
  expect(misconfigured.get('cognito')?.message).toContain('AUTH_COGNITO_ISSUER')
})
