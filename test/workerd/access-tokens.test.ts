import { createTokenVerifier } from '@latchkey/session'
import { deriveAccessKeys, exportTokenJwks, signAccessToken } from '@latchkey/session/issue'
import { mintAccessToken } from '@latchkey/session/testing'
import { expect, test } from 'vitest'

/** The test vector of docs/access-tokens.md, calculated on Node. */
const secret = 'known-answer-secret-0123456789abcdef'
const kids = {
  EdDSA: 'w_hhDv_5L8cgbjDe4fPrmHxuRRYdgNTGoIKAcrzR_oE',
  ES256: 'B2OsyUQSUDMlaKZ9-LGLX410QXTR65aaZ2v76CaG5Vw',
}
const own = 'a-secret-of-the-workerd-tests-0123456789'
const issuer = 'https://example.com/auth'
const audience = 'https://api.example.com/'

test.each(['EdDSA', 'ES256'] as const)('the key of %s is the same in workerd', async (alg) => {
  const [key] = await deriveAccessKeys([secret], alg)
  expect(key.kid).toBe(kids[alg])
})

test.each(['EdDSA', 'ES256'] as const)('a token by %s is verified in workerd', async (alg) => {
  const [key] = await deriveAccessKeys([own], alg)
  const { claims } = await mintAccessToken({ secret: own, issuer, audience, scope: 'notes:read' })
  const authorization = `Bearer ${await signAccessToken(claims, key)}`
  for (const keys of [{ secret: own }, { publicKeys: exportTokenJwks([key]) }]) {
    const verifier = createTokenVerifier({ ...keys, issuer, audience })
    const { token } = await verifier.read(authorization, { scope: 'notes:read' })
    expect(token?.claims).toEqual(claims)
    expect(verifier.read(authorization)).not.toBeInstanceOf(Promise)
  }
})
