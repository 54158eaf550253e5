import { KeyObject } from 'node:crypto'
import { createAuthenticator } from '@latchkey/session/testing'
import { vi } from 'vitest'
import { CHALLENGE, type Genuine, ORIGIN, RP_ID } from './forge.js'

const HANDLE = 'aGFuZGxlLW9mLWFkYS1pbi10aGUtdGVzdHM'

/** The algorithms that are accepted. */
export const ALGS = [-7, -8, -257]

/**
 * A passkey of the software authenticator with its private key, which the authenticator does not
 * give away, and the answers that it gave.
 */
export async function makeGenuine(alg: number) {
  const making = vi.spyOn(crypto.subtle, 'generateKey')
  const authenticator = createAuthenticator({ origin: ORIGIN, counter: () => 7 })
  const created = await authenticator.create({
    challenge: CHALLENGE,
    rp: { id: RP_ID },
    user: { id: HANDLE },
    pubKeyCredParams: [{ alg }],
  })
  const pair = (await making.mock.results.at(-1)?.value) as CryptoKeyPair
  making.mockRestore()
  const asserted = await authenticator.get({ challenge: CHALLENGE, rpId: RP_ID })
  const publicKey = KeyObject.from(pair.publicKey as never)
  const genuine: Genuine = {
    alg,
    privateKey: KeyObject.from(pair.privateKey as never),
    id: Buffer.from(created.id, 'base64url'),
    key: coseOf(alg, publicKey),
    spki: publicKey.export({ type: 'spki', format: 'der' }).toString('base64url'),
    handle: HANDLE,
  }
  return { genuine, created, asserted }
}

function coseOf(alg: number, publicKey: KeyObject): Genuine['key'] {
  const jwk = publicKey.export({ format: 'jwk' })
  const bytes = (member: unknown) => new Uint8Array(Buffer.from(String(member), 'base64url'))
  if (alg === -7) {
    return [
      [1, 2],
      [3, alg],
      [-1, 1],
      [-2, bytes(jwk.x)],
      [-3, bytes(jwk.y)],
    ]
  }
  return alg === -8
    ? [
        [1, 1],
        [3, alg],
        [-1, 6],
        [-2, bytes(jwk.x)],
      ]
    : [
        [1, 3],
        [3, alg],
        [-1, bytes(jwk.n)],
        [-2, bytes(jwk.e)],
      ]
}
