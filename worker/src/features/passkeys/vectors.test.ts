import { describe, expect, test } from 'vitest'
import { VECTORS } from '../../test-support/passkeys/vectors.js'
import { verifyAssertion } from './assertion.js'
import { readAuthenticatorData, signedData } from './authenticator-data.js'
import { readCbor } from './cbor.js'
import { readCoseKey } from './cose-key.js'
import { readCredential } from './credential.js'
import { verifyRegistration } from './registration.js'
import { isSignedBy } from './signature.js'

const handle = 'aGFuZGxlLW9mLWFkYS1pbi10aGUtdGVzdHM'
const bytes = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'))
const base64Url = (data: Uint8Array | string) => Buffer.from(data).toString('base64url')
const expected = (challenge: string) => ({
  challenge: base64Url(bytes(challenge)),
  origins: ['https://example.org'],
  rpId: 'example.org',
})

function posted(id: string, response: Record<string, string>) {
  const credential = readCredential({ id, rawId: id, type: 'public-key', response })
  if (!credential) throw new Error('The credential is not read.')
  return credential
}

function member(object: unknown, name: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array((object as ReadonlyMap<string, Uint8Array>).get(name) ?? [])
}

describe.each(Object.entries(VECTORS))(
  'the example of WebAuthn Level 3, section %s',
  (section, { registration, assertion }) => {
    async function read() {
      const object = readCbor(bytes(registration.attestationObject))?.value
      const authData = member(object, 'authData')
      const data = readAuthenticatorData(authData)
      const key = data?.attested && (await readCoseKey(data.attested.key))
      if (!data?.attested || !key) throw new Error('The authenticator data is not read.')
      return { object, authData, be: data.be, key, id: base64Url(data.attested.id) }
    }

    test('registers, except for features that are not accepted here', async () => {
      const { id } = await read()
      const credential = posted(id, {
        clientDataJSON: base64Url(registration.clientDataJSON),
        attestationObject: base64Url(bytes(registration.attestationObject)),
      })
      const verdict = await verifyRegistration(credential, expected(registration.challenge))
      expect(verdict).toEqual(registration.verdict)
    })

    test('signs in, except for features that are not accepted here', async () => {
      const { id, key, be } = await read()
      const credential = posted(id, {
        clientDataJSON: base64Url(assertion.clientDataJSON),
        authenticatorData: base64Url(bytes(assertion.authenticatorData)),
        signature: base64Url(bytes(assertion.signature)),
        userHandle: handle,
      })
      const kept = { id, ...key, counter: 0, be, handle }
      const verdict = await verifyAssertion(credential, kept, expected(assertion.challenge))
      expect(verdict).toEqual(assertion.verdict)
    })

    test('is signed by its key', async () => {
      const { key, object, authData } = await read()
      const client = new TextEncoder().encode(assertion.clientDataJSON)
      const data = await signedData(bytes(assertion.authenticatorData), new Uint8Array(client))
      expect(await isSignedBy(key, bytes(assertion.signature), data)).toBe(true)
      if (!section.includes('self attestation')) return
      const registered = new TextEncoder().encode(registration.clientDataJSON)
      const own = await signedData(authData, new Uint8Array(registered))
      const statement = (object as ReadonlyMap<string, unknown>).get('attStmt')
      expect(await isSignedBy(key, member(statement, 'sig'), own)).toBe(true)
    })
  },
)
