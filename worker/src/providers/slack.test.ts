import { expect, test } from 'vitest'
import { OPENID_PRESETS, rowSignIn } from '../test-support/openid-presets.js'

const { slack } = OPENID_PRESETS

test('an unverified address is left out, whatever the unsigned user info says', async () => {
  const claims = { email: 'ada@example.com', email_verified: false }
  const { user } = await rowSignIn(slack, { claims })
  expect(user).toMatchObject({ name: 'Ada Lovelace', email: null })
})

test.each(['token', 'userinfo'])('an error of %s with status 200 is a failure', async (name) => {
  const { end } = await rowSignIn(slack, {
    prepare: (issuer) => {
      issuer.answers = { [name]: () => Response.json({ ok: false, error: 'invalid_auth' }) }
    },
  })
  expect(end).toBe('/auth/signin OAuthCallbackError')
})
