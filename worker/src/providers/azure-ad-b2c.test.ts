import { expect, test } from 'vitest'
import { customFetch } from '../lib/symbols.js'
import { resolveProviders } from '../sign-in/kinds.js'
import { Browser, configWith, errorOf, signInAt } from '../test-support/browser.js'
import { testIssuer } from '../test-support/issuer.js'
import azureADB2C from './azure-ad-b2c.js'

const HOST = 'https://contoso.b2clogin.com'
const TENANT = '775527ff-9a37-4307-8b3d-cc311f58d925'
const client = { clientId: 'the-client-id', clientSecret: 'the-client-secret' }

/** As a user flow signs them. */
const claims = {
  sub: '884408e1-2918-4cz0-b12d-3aa027d7563b',
  tfp: 'B2C_1_signin',
  name: 'Ada Lovelace',
  emails: ['ada@example.com', 'lovelace@example.com'],
  ver: '1.0',
}

async function signInAtFlow(signedBy: string, issuer: string, changes: object = {}) {
  const it = await testIssuer(signedBy)
  it.claims = { ...claims, ...changes }
  const provider = azureADB2C({ ...client, issuer, [customFetch]: it.fetch })
  const browser = new Browser(configWith({ providers: [provider] }))
  const answer = await signInAt(browser, 'azure-ad-b2c')
  return { asked: it.requests[0]?.url, answer, user: (await browser.session())?.user }
}

test.each([
  [
    'whose tokens name the tenant',
    `${HOST}/${TENANT}/v2.0/`,
    `${HOST}/${TENANT}/B2C_1_signin/v2.0`,
  ],
  [
    'whose tokens name the user flow',
    `${HOST}/tfp/${TENANT}/b2c_1_signin/v2.0/`,
    `${HOST}/tfp/${TENANT}/b2c_1_signin/v2.0/`,
  ],
])('signs in by a user flow %s, with an address that nobody vouches for', async (_, by, issuer) => {
  const { asked, user } = await signInAtFlow(by, issuer, { email_verified: true })
  expect(asked?.toLowerCase()).toBe(
    `${HOST}/${TENANT}/b2c_1_signin/v2.0/.well-known/openid-configuration`,
  )
  expect(user).toMatchObject({ name: 'Ada Lovelace', email: 'ada@example.com' })
  expect(user).not.toHaveProperty('emailVerified')
})

test('a token of another tenant signs nobody in', async () => {
  const own = `${HOST}/${TENANT}/v2.0/`
  const iss = `${HOST}/11111111-9a37-4307-8b3d-cc311f58d925/v2.0/`
  const { answer, user } = await signInAtFlow(own, `${HOST}/${TENANT}/B2C_1_signin/v2.0`, { iss })
  expect(errorOf(answer)).toBe('/auth/signin OAuthCallbackError')
  expect(user).toBeUndefined()
})

test('without an issuer, the error names the variable that sets it', async () => {
  const { misconfigured } = await resolveProviders([azureADB2C(client)], {})
  expect(misconfigured.get('azure-ad-b2c')?.message).toContain('AUTH_AZURE_AD_B2C_ISSUER')
})
