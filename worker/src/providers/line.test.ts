import { SignJWT } from 'jose'
import { expect, test } from 'vitest'
import { OPENID_PRESETS, rowSignIn } from '../test-support/openid-presets.js'

test.each<[string, string]>([
  ['by another secret', 'HS256'],
  ['by another algorithm', 'ES256'],
])('a token that was signed %s signs no user in', async (_, alg) => {
  const { end, user } = await rowSignIn(OPENID_PRESETS.line, {
    prepare: (issuer) => {
      const other = new TextEncoder().encode('x'.repeat(32))
      issuer.sign = (claims) =>
        new SignJWT(claims)
          .setProtectedHeader({ typ: 'JWT', alg })
          .sign(alg === 'HS256' ? other : issuer.privateKey())
    },
  })
  expect(end).toBe('/auth/signin OAuthCallbackError')
  expect(user).toBeUndefined()
})
