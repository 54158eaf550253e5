import { expect, test } from 'vitest'
import { customFetch } from '../lib/symbols.js'
import { Browser, configWith, errorOf, signInAt } from '../test-support/browser.js'
import { testIssuer } from '../test-support/issuer.js'
import type { Callbacks, OAuthUserConfig } from '../types.js'
import google, { type GoogleProfile } from './google.js'

/** As in Google's documentation of the ID token. */
const claims = {
  azp: 'the-client-id',
  sub: '10769150350006150715113082367',
  name: 'Ada Lovelace',
  given_name: 'Ada',
  family_name: 'Lovelace',
  picture: 'https://lh3.googleusercontent.com/a/photo=s96-c',
  email: 'ada@example.com',
  email_verified: true,
  hd: 'example.com',
}

async function setUp(options: OAuthUserConfig<GoogleProfile> = {}) {
  const issuer = await testIssuer('https://accounts.google.com')
  issuer.claims = claims
  const client = { clientId: 'the-client-id', clientSecret: 'the-client-secret' }
  const provider = google({ ...client, [customFetch]: issuer.fetch, ...options })
  const signIn: Callbacks['signIn'] = ({ profile }) => profile?.hd === 'example.com'
  return {
    issuer,
    browser: new Browser(configWith({ providers: [provider], callbacks: { signIn } })),
  }
}

test('signs in by the ID token alone', async () => {
  const { issuer, browser } = await setUp()
  issuer.userinfo = { sub: claims.sub, name: 'From the user info' }
  await signInAt(browser, 'google')
  expect((await browser.session())?.user).toMatchObject({
    name: 'Ada Lovelace',
    email: 'ada@example.com',
    image: claims.picture,
  })
  expect(issuer.requests.map(({ url }) => new URL(url).pathname)).not.toContain('/userinfo')
})

test('asks for the standard scopes, and for what the options add', async () => {
  const params = { access_type: 'offline', prompt: 'consent', hd: 'example.com' }
  const { browser } = await setUp({ authorization: { params } })
  const asked = Object.fromEntries((await browser.start('google')).searchParams)
  expect(asked).toMatchObject({ ...params, scope: 'openid profile email' })
})

test('an unverified address is left out', async () => {
  const { issuer, browser } = await setUp()
  issuer.claims = { ...claims, email_verified: false }
  await signInAt(browser, 'google')
  expect((await browser.session())?.user?.email).toBeNull()
})

test.each([undefined, 'evil.example'])(
  'hd taken out of the request: the callback sees that the account’s domain is %s',
  async (hd) => {
    const { issuer, browser } = await setUp({ authorization: { params: { hd: 'example.com' } } })
    issuer.claims = { ...claims, hd }
    expect(errorOf(await signInAt(browser, 'google'))).toBe('/auth/error AccessDenied')
  },
)
