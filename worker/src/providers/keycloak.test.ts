import { expect, test } from 'vitest'
import { customFetch } from '../lib/symbols.js'
import { resolveProviders } from '../sign-in/kinds.js'
import { Browser, configWith, errorOf, signInAt } from '../test-support/browser.js'
import { testIssuer } from '../test-support/issuer.js'
import keycloak from './keycloak.js'

/** As Keycloak signs them with its default client scopes. */
const claims = {
  typ: 'ID',
  azp: 'the-client-id',
  sid: '5fb1c4f4-1a0f-4a35-9a6c-1c7f5a1f8f5e',
  acr: '1',
  sub: 'a1d0ff2c-9a1f-4a53-9b53-9a0b0d9a3f11',
  name: 'Ada Lovelace',
  preferred_username: 'ada',
  email: 'ada@example.com',
  email_verified: true,
}

const client = { clientId: 'the-client-id', clientSecret: 'the-client-secret' }
const realm = 'https://keycloak.example.com/realms/staff'

async function setUp() {
  const issuer = await testIssuer(realm)
  issuer.claims = claims
  const provider = keycloak({ ...client, issuer: realm, [customFetch]: issuer.fetch })
  return { issuer, browser: new Browser(configWith({ providers: [provider] })) }
}

test('signs in at a realm', async () => {
  const { issuer, browser } = await setUp()
  await signInAt(browser, 'keycloak')
  const user = { name: 'Ada Lovelace', email: 'ada@example.com' }
  expect((await browser.session())?.user).toMatchObject(user)
  expect(issuer.requests[0]?.url).toBe(`${realm}/.well-known/openid-configuration`)
})

test('an unverified address is left out, as in realms that do not verify addresses', async () => {
  const { issuer, browser } = await setUp()
  issuer.claims = { ...claims, email_verified: false }
  await signInAt(browser, 'keycloak')
  expect((await browser.session())?.user).toMatchObject({ name: 'Ada Lovelace', email: null })
})

test('an ID token of another realm of the same server is refused', async () => {
  const { issuer, browser } = await setUp()
  issuer.claims = { ...claims, iss: 'https://keycloak.example.com/realms/customers' }
  expect(errorOf(await signInAt(browser, 'keycloak'))).toBe('/auth/signin OAuthCallbackError')
})

test('without an issuer, the error names the variable that sets it', async () => {
  const { misconfigured } = await resolveProviders([keycloak(client)], {})
  expect(misconfigured.get('keycloak')?.message).toContain('AUTH_KEYCLOAK_ISSUER')
})
