import { expect, test } from 'vitest'
import { customFetch } from '../lib/symbols.js'
import { resolveProviders } from '../sign-in/kinds.js'
import { connect } from '../sign-in/oauth/connection.js'
import { revokeTokens } from '../sign-in/oauth/refresh.js'
import type { ResolvedOAuthProvider } from '../sign-in/oauth/resolve.js'
import { Browser, configWith, errorOf, signInAt } from '../test-support/browser.js'
import { testIssuer } from '../test-support/issuer.js'
import type { Account } from '../types.js'
import twitch from './twitch.js'

/** As in Twitch's documentation of OpenID Connect. */
const claims = {
  azp: 'the-client-id',
  sub: '713936733',
  email: 'ada@example.com',
  email_verified: true,
  picture: 'https://static-cdn.jtvnw.net/user-default-pictures/profile-300x300.png',
  preferred_username: 'AdaLovelace',
}

async function setUp() {
  const issuer = await testIssuer('https://id.twitch.tv/oauth2')
  issuer.claims = claims
  issuer.tokens = { scope: ['openid', 'user:read:email'], token_type: 'bearer' }
  const accounts: Account[] = []
  const signIn = ({ account }: { account: Account }) => accounts.push(account) > 0
  const client = { clientId: 'the-client-id', clientSecret: 'the-client-secret' }
  const providers = [twitch({ ...client, [customFetch]: issuer.fetch })]
  const browser = new Browser(configWith({ providers, callbacks: { signIn } }))
  const { usable } = await resolveProviders(providers, {})
  return { issuer, accounts, browser, provider: usable.get('twitch') as ResolvedOAuthProvider }
}

test('asks for each claim by name, since there are no scopes for them', async () => {
  const { searchParams } = await (await setUp()).browser.start('twitch')
  expect(searchParams.get('scope')).toBe('openid user:read:email')
  expect(Object.keys(JSON.parse(searchParams.get('claims') ?? '').id_token)).toEqual([
    'email',
    'email_verified',
    'picture',
    'preferred_username',
  ])
})

test('signs in with granted scopes that come as a list', async () => {
  const { accounts, browser, issuer } = await setUp()
  await signInAt(browser, 'twitch')
  expect((await browser.session())?.user).toMatchObject({
    name: 'AdaLovelace',
    email: 'ada@example.com',
    image: claims.picture,
  })
  expect(accounts[0]?.scope).toBe('openid user:read:email')
  const sent = issuer.requests.find(({ url }) => url.endsWith('/token'))
  expect(await sent?.text()).toContain('client_secret=the-client-secret')
})

test('an unverified address is left out', async () => {
  const { browser, issuer } = await setUp()
  issuer.claims = { ...claims, email_verified: false }
  await signInAt(browser, 'twitch')
  expect((await browser.session())?.user?.email).toBeNull()
})

test.each([
  ['is no JSON', () => new Response('<html>')],
  ['is too long', () => new Response(' '.repeat(2 * 1024 * 1024))],
  ['is an error of theirs', () => Response.json({ status: 400, message: 'Bad' }, { status: 400 })],
])('a token answer that %s is refused', async (_, token) => {
  const { browser, issuer } = await setUp()
  issuer.answers = { token }
  expect(errorOf(await signInAt(browser, 'twitch'))).toBe('/auth/signin OAuthCallbackError')
})

test('revokes the access token, the only token that Twitch revokes', async () => {
  const { issuer, provider } = await setUp()
  issuer.metadata = { revocation_endpoint: undefined }
  const tokens = { access_token: 'the-access-token', refresh_token: 'the-refresh-token' }
  await revokeTokens(await connect(provider, Date.now()), tokens)
  const sent = issuer.requests.at(-1)
  expect(sent?.url).toBe('https://id.twitch.tv/oauth2/revoke')
  expect(Object.fromEntries(new URLSearchParams(await sent?.text()))).toMatchObject({
    client_id: 'the-client-id',
    token: 'the-access-token',
  })
})
