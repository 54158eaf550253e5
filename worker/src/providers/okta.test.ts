import { expect, test } from 'vitest'
import { OPENID_PRESETS, rowSignIn } from '../test-support/openid-presets.js'

test('signs in at the server of the organization too', async () => {
  const issuer = 'https://example.okta.com'
  const { user } = await rowSignIn({ ...OPENID_PRESETS.okta, issuer, ownIssuer: issuer })
  expect(user).toMatchObject({ name: 'Ada Lovelace', email: 'ada@example.com' })
})
