import { createAuthenticator } from '@latchkey/session/testing'
import { expect, test } from 'vitest'
import { decodeBase64Url, encodeBase64Url } from '../../lib/base64url.js'
import { verifyAssertion } from './assertion.js'
import { readCredential } from './credential.js'
import { verifyRegistration } from './registration.js'

const origin = 'https://app.example.com'
const rpId = 'example.com'
const challenge = 'Y2hhbGxlbmdlLW9mLXRoZS10ZXN0cw'
const handle = 'aGFuZGxlLW9mLWFkYS1pbi10aGUtdGVzdHM'
const expected = { challenge, origins: [origin], rpId }

/** Creation options, for one algorithm. */
const optionsFor = (alg: number) => ({
  challenge,
  rp: { id: rpId },
  user: { id: handle },
  pubKeyCredParams: [{ alg }],
})

function read(json: unknown) {
  const credential = readCredential(json)
  if (!credential) throw new Error('The credential is not read.')
  return credential
}

/** The same base64url with the last bit of its last whole byte changed. */
function changed(text: string): string {
  const bytes = decodeBase64Url(text) ?? new Uint8Array()
  return encodeBase64Url(bytes.map((byte, at) => (at === bytes.length - 1 ? byte ^ 1 : byte)))
}

// This file runs in Node and in workerd: each has a cryptography of its own.
test.each([
  ['ES256', -7, 'none'],
  ['ES256, which signs its own registration', -7, 'packed'],
  ['EdDSA', -8, 'none'],
  ['EdDSA, which signs its own registration', -8, 'packed'],
  ['RS256', -257, 'none'],
  ['RS256, which signs its own registration', -257, 'packed'],
] as const)('a passkey of %s is registered and signs in', async (_, alg, attestation) => {
  const authenticator = createAuthenticator({ origin, attestation })
  const created = await authenticator.create(optionsFor(alg))
  const registered = await verifyRegistration(read(created), expected)
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
  const kept = { ...registered, handle }
  const asserted = await authenticator.get({ challenge, rpId })
  expect(await verifyAssertion(read(asserted), kept, expected)).toEqual({
    counter: 2,
    bs: false,
    isRegressed: false,
  })
  const { signature, ...rest } = asserted.response
  const other = { ...asserted, response: { ...rest, signature: changed(signature) } }
  expect(await verifyAssertion(read(other), kept, expected)).toBe('signature')
})

test('a point that is not on its curve is not a key', async () => {
  const authenticator = createAuthenticator({ origin })
  const { response, ...created } = await authenticator.create(optionsFor(-7))
  // The second coordinate is at the end of it all.
  const attestationObject = changed(response.attestationObject)
  const credential = { ...created, response: { ...response, attestationObject } }
  expect(await verifyRegistration(read(credential), expected)).toBe('public-key')
})
