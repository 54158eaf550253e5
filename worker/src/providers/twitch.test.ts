import { expect, test } from 'vitest'
import { resolveProviders } from '../sign-in/kinds.js'
import { connect } from '../sign-in/oauth/connection.js'
import { revokeTokens } from '../sign-in/oauth/refresh.js'
import type { ResolvedOAuthProvider } from '../sign-in/oauth/resolve.js'
import { OPENID_PRESETS, rowIssuer, rowSignIn } from '../test-support/openid-presets.js'

const { twitch } = OPENID_PRESETS

test('signs in with granted scopes that come as a list', async () => {
  const { user, account } = await rowSignIn(twitch, {
    prepare: (issuer) => {
      issuer.tokens = { scope: ['openid', 'user:read:email'], token_type: 'bearer' }
    },
  })
  expect(user).toMatchObject(twitch.user)
  expect(account?.scope).toBe('openid user:read:email')
})

test.each([
  ['is no JSON', () => new Response('<html>')],
  ['is too long', () => new Response(' '.repeat(2 * 1024 * 1024))],
  ['is an error of theirs', () => Response.json({ status: 400, message: 'Bad' }, { status: 400 })],
])('a token answer that %s is refused', async (_, token) => {
  const { end } = await rowSignIn(twitch, {
    prepare: (issuer) => {
      issuer.answers = { token }
    },
  })
  expect(end).toBe('/auth/signin OAuthCallbackError')
})

test('revokes the access token, the only token that Twitch revokes', async () => {
  const { issuer, provider } = await rowIssuer(twitch)
  issuer.metadata = { revocation_endpoint: undefined }
  const resolved = resolveProviders([provider], {}).usable.get('twitch') as ResolvedOAuthProvider
  const tokens = { access_token: 'the-access-token', refresh_token: 'the-refresh-token' }
  await revokeTokens(await connect(resolved, Date.now()), tokens)
  const sent = issuer.requests.at(-1)
  expect(sent?.url).toBe('https://id.twitch.tv/oauth2/revoke')
  expect(Object.fromEntries(new URLSearchParams(await sent?.text()))).toMatchObject({
    client_id: 'the-client-id',
    token: 'the-access-token',
  })
})
