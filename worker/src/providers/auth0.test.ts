import { expect, test } from 'vitest'
import { customFetch } from '../lib/symbols.js'
import { resolveProviders } from '../sign-in/kinds.js'
import { Browser, configWith, signInAt } from '../test-support/browser.js'
import { testIssuer } from '../test-support/issuer.js'
import auth0 from './auth0.js'

/** As in Auth0's documentation of ID tokens. */
const claims = {
  sub: 'auth0|5f7c8ec7c33c6c004bbafe82',
  nickname: 'ada',
  name: 'Ada Lovelace',
  picture: 'https://s.gravatar.com/avatar/ada.png',
  updated_at: '2026-01-01T00:00:00.000Z',
  email: 'ada@example.com',
  email_verified: true,
}

const client = { clientId: 'the-client-id', clientSecret: 'the-client-secret' }

test.each(['https://example.eu.auth0.com', 'https://example.eu.auth0.com/'])(
  'signs in with the issuer %s, though Auth0 writes it with a slash',
  async (given) => {
    const issuer = await testIssuer('https://example.eu.auth0.com/')
    issuer.claims = claims
    const params = { audience: 'https://api.example.com' }
    const options = { ...client, issuer: given, authorization: { params } }
    const provider = auth0({ ...options, [customFetch]: issuer.fetch })
    const browser = new Browser(configWith({ providers: [provider] }))
    const { searchParams } = await browser.start('auth0')
    expect(Object.fromEntries(searchParams)).toMatchObject({
      ...params,
      scope: 'openid profile email',
    })
    await signInAt(browser, 'auth0')
    const user = { name: 'Ada Lovelace', email: 'ada@example.com', image: claims.picture }
    expect((await browser.session())?.user).toMatchObject(user)
    issuer.claims = { ...claims, email_verified: false }
    await signInAt(browser, 'auth0')
    expect((await browser.session())?.user?.email).toBeNull()
  },
)

test('without an issuer, the error names the variable that sets it', async () => {
  const { misconfigured } = await resolveProviders([auth0(client)], {})
  expect(misconfigured.get('auth0')?.message).toContain('AUTH_AUTH0_ISSUER')
})
