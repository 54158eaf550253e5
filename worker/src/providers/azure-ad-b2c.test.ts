import { expect, test } from 'vitest'
import { OPENID_PRESETS, rowSignIn } from '../test-support/openid-presets.js'

const row = OPENID_PRESETS['azure-ad-b2c']
const HOST = 'https://contoso.b2clogin.com'
const TENANT = '775527ff-9a37-4307-8b3d-cc311f58d925'

test('signs in by a user flow whose tokens name the flow, with an address that is not verified', async () => {
  const at = `${HOST}/tfp/${TENANT}/b2c_1_signin/v2.0/`
  const claims = { email_verified: true }
  const { issuer, user } = await rowSignIn({ ...row, issuer: at, ownIssuer: at }, { claims })
  expect(issuer.requests[0]?.url).toBe(
    `${HOST}/${TENANT}/b2c_1_signin/v2.0/.well-known/openid-configuration`,
  )
  expect(user).toMatchObject({ name: 'Ada Lovelace', email: 'ada@example.com' })
  expect(user).not.toHaveProperty('emailVerified')
})

test('a token of another tenant signs no user in', async () => {
  const iss = `${HOST}/11111111-9a37-4307-8b3d-cc311f58d925/v2.0/`
  const { end, user } = await rowSignIn(row, { claims: { iss } })
  expect(end).toBe('/auth/signin OAuthCallbackError')
  expect(user).toBeUndefined()
})
