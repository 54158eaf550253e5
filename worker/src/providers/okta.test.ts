import { expect, test } from 'vitest'
import { customFetch } from '../lib/symbols.js'
import { resolveProviders } from '../sign-in/kinds.js'
import { Browser, configWith, signInAt } from '../test-support/browser.js'
import { testIssuer } from '../test-support/issuer.js'
import okta from './okta.js'

/** As in Okta's documentation: the claims of the scopes are in the user info. */
const claims = { sub: '00uid4BxXw6I6TV4m0g3', ver: 1, idp: '00ok1u7AsAkrwdZL3z0g3', amr: ['pwd'] }
const userinfo = {
  sub: claims.sub,
  name: 'Ada Lovelace',
  preferred_username: 'ceo@example.com',
  email: 'ada@example.com',
  email_verified: true,
  zoneinfo: 'Europe/London',
}

const client = { clientId: 'the-client-id', clientSecret: 'the-client-secret' }

test.each(['https://example.okta.com', 'https://example.okta.com/oauth2/default'])(
  'signs in at %s',
  async (at) => {
    const issuer = await testIssuer(at)
    Object.assign(issuer, { claims, userinfo })
    const provider = okta({ ...client, issuer: at, [customFetch]: issuer.fetch })
    const browser = new Browser(configWith({ providers: [provider] }))
    await signInAt(browser, 'okta')
    const user = { name: 'Ada Lovelace', email: 'ada@example.com' }
    expect((await browser.session())?.user).toMatchObject(user)
    // A login that looks like an address is no address.
    issuer.userinfo = { ...userinfo, email_verified: false }
    await signInAt(browser, 'okta')
    expect((await browser.session())?.user?.email).toBeNull()
  },
)

test('without an issuer, the error names the variable that sets it', async () => {
  const { misconfigured } = await resolveProviders([okta(client)], {})
  expect(misconfigured.get('okta')?.message).toContain('AUTH_OKTA_ISSUER')
})
