import { expect, test } from 'vitest'
import { customFetch } from '../lib/symbols.js'
import { Browser, configWith, errorOf, signInAt } from '../test-support/browser.js'
import { testIssuer } from '../test-support/issuer.js'
import slack from './slack.js'

/** As in Slack's documentation of `openid.connect.token` and `openid.connect.userInfo`. */
const claims = {
  sub: 'U0R7MFMJM',
  'https://slack.com/team_id': 'T0R7GR52J',
  'https://slack.com/user_id': 'U0R7MFMJM',
  email: 'ada@example.com',
  email_verified: true,
  date_email_verified: 1_622_128_723,
  name: 'Ada Lovelace',
  locale: 'en-US',
}
const picture = 'https://secure.gravatar.com/avatar/ada.png'

async function setUp() {
  const issuer = await testIssuer('https://slack.com')
  issuer.claims = claims
  issuer.tokens = { ok: true }
  issuer.userinfo = { ok: true, ...claims, picture }
  const client = { clientId: '25259531569.1115', clientSecret: 'the-client-secret' }
  issuer.claims = { ...claims, aud: client.clientId }
  const providers = [slack({ ...client, [customFetch]: issuer.fetch })]
  return { issuer, browser: new Browser(configWith({ providers })) }
}

test('signs in a member of a workspace', async () => {
  const { browser } = await setUp()
  expect((await browser.start('slack')).searchParams.get('scope')).toBe('openid profile email')
  await signInAt(browser, 'slack')
  expect((await browser.session())?.user).toMatchObject({
    name: 'Ada Lovelace',
    email: 'ada@example.com',
    image: picture,
  })
})

test('an unverified address is left out, whatever the unsigned user info says', async () => {
  const { issuer, browser } = await setUp()
  issuer.claims = { ...issuer.claims, email_verified: false }
  await signInAt(browser, 'slack')
  expect((await browser.session())?.user?.email).toBeNull()
})

test.each(['token', 'userinfo'])('an error of %s with status 200 is a failure', async (name) => {
  const { issuer, browser } = await setUp()
  issuer.answers = { [name]: () => Response.json({ ok: false, error: 'invalid_auth' }) }
  expect(errorOf(await signInAt(browser, 'slack'))).toBe('/auth/signin OAuthCallbackError')
})
