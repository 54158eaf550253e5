import { decode, encode } from 'jose/base64url'
import { type CborInput, encodeCbor } from './cbor.js'

/** COSE's numbers of algorithms, and the platform's names for them. */
const ALGORITHMS = {
  [-7]: { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  [-8]: { name: 'Ed25519' },
  [-257]: {
    name: 'RSASSA-PKCS1-v1_5',
    hash: 'SHA-256',
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
  },
} as const

/** ES256, EdDSA or RS256. */
export type Algorithm = keyof typeof ALGORITHMS

export function isAlgorithm(alg: number): alg is Algorithm {
  return Object.hasOwn(ALGORITHMS, alg)
}

/** A passkey as its authenticator holds it. */
export interface Passkey {
  /** Base64url, as all that has this name. */
  readonly id: string
  readonly rpId: string
  readonly userHandle: string
  readonly alg: Algorithm
  readonly keys: CryptoKeyPair
  counter: number
}

export async function makePasskey(
  alg: Algorithm,
  made: Pick<Passkey, 'id' | 'rpId' | 'userHandle' | 'counter'>,
): Promise<Passkey> {
  const keys = await crypto.subtle.generateKey(ALGORITHMS[alg], true, ['sign', 'verify'])
  return { ...made, alg, keys: keys as CryptoKeyPair }
}

/** The public key for the authenticator data (RFC 9053, section 7), and in base64url as SPKI. */
export async function publicKeyOf({ alg, keys }: Passkey) {
  const jwk = await crypto.subtle.exportKey('jwk', keys.publicKey)
  const bytes = (member: string | undefined) => decode(member ?? '')
  const members: [number, CborInput][] =
    alg === -257
      ? [
          [1, 3],
          [3, alg],
          [-1, bytes(jwk.n)],
          [-2, bytes(jwk.e)],
        ]
      : alg === -8
        ? [
            [1, 1],
            [3, alg],
            [-1, 6],
            [-2, bytes(jwk.x)],
          ]
        : [
            [1, 2],
            [3, alg],
            [-1, 1],
            [-2, bytes(jwk.x)],
            [-3, bytes(jwk.y)],
          ]
  const spki = await crypto.subtle.exportKey('spki', keys.publicKey)
  return { cose: encodeCbor(new Map(members)), spki: encode(new Uint8Array(spki)) }
}

/** The signature as WebAuthn has it (Level 3, section 6.5.5): of ECDSA in DER. */
export async function signBy(
  { alg, keys }: Passkey,
  data: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array> {
  const signature = await crypto.subtle.sign(ALGORITHMS[alg], keys.privateKey, data)
  const bytes = new Uint8Array(signature)
  return alg === -7 ? inDer(bytes) : bytes
}

/** @param raw two numbers of 32 bytes beside each other */
function inDer(raw: Uint8Array): Uint8Array {
  const numbers = [raw.subarray(0, 32), raw.subarray(32)].flatMap((bytes) => {
    const first = bytes.findIndex((byte) => byte !== 0)
    const digits = [...bytes.subarray(first)]
    // A number that begins with a bit would be negative.
    if ((digits[0] ?? 0) > 0x7f) digits.unshift(0)
    return [0x02, digits.length, ...digits]
  })
  return new Uint8Array([0x30, numbers.length, ...numbers])
}
