import { expect, test } from 'vitest'
import { OPENID_PRESETS, rowSignIn } from '../test-support/openid-presets.js'

const { cognito } = OPENID_PRESETS

test('signs in at a pool whose endpoints are on a domain of its own', async () => {
  const at = 'https://example.auth.eu-west-1.amazoncognito.com/oauth2'
  const { user, issuer } = await rowSignIn(cognito, {
    prepare: (issuer) => {
      issuer.metadata = { authorization_endpoint: `${at}/authorize`, token_endpoint: `${at}/token` }
    },
  })
  expect(user).toMatchObject(cognito.user)
  expect(issuer.requests.map(({ url }) => url)).toContain(`${at}/token`)
})

test.each([
  ['in the user info, as text', { address: { ...cognito.address, email_verified: 'false' } }],
  ['in the ID token', { claims: { email_verified: false } }],
])('an address that is unverified %s is left out', async (_, changes) => {
  const { user } = await rowSignIn(cognito, changes)
  expect(user).toMatchObject({ name: 'Ada Lovelace', email: null })
})

test.each(['yes', 1, 'TRUE'])('email_verified %j vouches for nothing', async (email_verified) => {
  const changes = { address: { ...cognito.address, email_verified } }
  const { end, user } = await rowSignIn(cognito, changes)
  expect(end).toBe('/inbox')
  expect(user).not.toHaveProperty('emailVerified')
})
