import { createAuthenticator } from '@latchkey/session/testing'
import { expect, test } from 'vitest'
import { verifyAssertion } from './assertion.js'
import { readCredential } from './credential.js'
import { verifyRegistration } from './registration.js'

const origin = 'https://app.example.com'
const rpId = 'example.com'
const challenge = 'Y2hhbGxlbmdlLW9mLXRoZS10ZXN0cw'
const handle = 'aGFuZGxlLW9mLWFkYS1pbi10aGUtdGVzdHM'
const expected = { challenge, origins: [origin], rpId }

test.each([
  ['ES256', -7, 'none'],
  ['ES256, which signs its own registration', -7, 'packed'],
  ['EdDSA', -8, 'none'],
  ['EdDSA, which signs its own registration', -8, 'packed'],
  ['RS256', -257, 'none'],
  ['RS256, which signs its own registration', -257, 'packed'],
] as const)('a passkey of %s is registered and signs in', async (_, alg, attestation) => {
  const authenticator = createAuthenticator({ origin, attestation })
  const pubKeyCredParams = [{ alg }]
  const created = await authenticator.create({
    challenge,
    rp: { id: rpId },
    user: { id: handle },
    pubKeyCredParams,
  })
  const posted = readCredential(created)
  if (!posted) throw new Error('The registration is not read.')
  const registered = await verifyRegistration(posted, expected)
  expect(registered).toEqual({
    id: created.id,
    key: created.response.publicKey,
    alg,
    counter: 1,
    be: false,
    bs: false,
    aaguid: '00000000-0000-0000-0000-000000000000',
    transports: ['internal'],
  })
  if (typeof registered === 'string') return
  const asserted = readCredential(await authenticator.get({ challenge, rpId }))
  if (!asserted) throw new Error('The assertion is not read.')
  expect(await verifyAssertion(asserted, { ...registered, handle }, expected)).toEqual({
    counter: 2,
    bs: false,
    isRegressed: false,
  })
})
