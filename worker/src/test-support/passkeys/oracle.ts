import { createPublicKey } from 'node:crypto'
import { verifyAuthenticationResponse, verifyRegistrationResponse } from '@simplewebauthn/server'
import { cose, decodeCredentialPublicKey } from '@simplewebauthn/server/helpers'
import type { Item } from './cbor.js'
import { encode } from './cbor.js'
import { base64Url, EXPECTED, type Genuine } from './forge.js'

/**
 * The verdict of a widely used library on an answer: the values that it has read, or why it refuses
 * them.
 */
export type Verdict = string | Readonly<Record<string, unknown>>

const expected = {
  expectedChallenge: EXPECTED.challenge,
  expectedOrigin: EXPECTED.origins,
  expectedRPID: EXPECTED.rpId,
}

export async function oracleOfRegistration(response: unknown): Promise<Verdict> {
  try {
    const { verified, registrationInfo: info } = await verifyRegistrationResponse({
      ...expected,
      response: response as never,
      supportedAlgorithmIDs: [-7, -8, -257],
    })
    if (!verified || !info) return 'not verified'
    return {
      id: info.credential.id,
      counter: info.credential.counter,
      be: info.credentialDeviceType === 'multiDevice',
      bs: info.credentialBackedUp,
      aaguid: info.aaguid,
      key: spkiOf(info.credential.publicKey),
    }
  } catch (error) {
    return String((error as Error).message)
  }
}

export async function oracleOfAssertion(
  response: unknown,
  genuine: Genuine,
  counter: number,
): Promise<Verdict> {
  const publicKey = new Uint8Array(
    encode({ map: genuine.key as readonly (readonly [Item, Item])[] }),
  )
  try {
    const { verified, authenticationInfo: info } = await verifyAuthenticationResponse({
      ...expected,
      response: response as never,
      credential: { id: base64Url(genuine.id), publicKey, counter },
    })
    return verified ? { counter: info.newCounter, bs: info.credentialBackedUp } : 'not verified'
  } catch (error) {
    return String((error as Error).message)
  }
}

/** The key that it keeps, in the form that we keep; `undefined` if it is not a key. */
function spkiOf(publicKey: Uint8Array): string | undefined {
  const key = decodeCredentialPublicKey(publicKey as never) as unknown as Map<number, unknown>
  const text = (member: number) => base64Url(key.get(member) as Uint8Array)
  try {
    const jwk = {
      [cose.COSEKTY.EC2]: () => ({ kty: 'EC', crv: 'P-256', x: text(-2), y: text(-3) }),
      [cose.COSEKTY.OKP]: () => ({ kty: 'OKP', crv: 'Ed25519', x: text(-2) }),
      [cose.COSEKTY.RSA]: () => ({ kty: 'RSA', n: text(-1), e: text(-2) }),
    }[key.get(1) as 1 | 2 | 3]()
    const spki = createPublicKey({ key: jwk, format: 'jwk' }).export({
      type: 'spki',
      format: 'der',
    })
    return base64Url(spki)
  } catch {
    return undefined
  }
}
