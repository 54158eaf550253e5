import { encodeBase64Url } from '../../lib/base64url.js'
import type { CborMap, CborValue } from './cbor.js'

/** A public key as it is kept: SPKI in base64url, and its COSE algorithm. */
export interface PublicKey {
  readonly key: string
  readonly alg: Algorithm
}

/** ES256 on P-256, EdDSA on Ed25519, RS256 (WebAuthn Level 3, section 5.8.5). */
type Algorithm = keyof typeof ALGORITHMS

/** COSE's numbers (RFC 9053; RFC 8812) and the names that WebCrypto has for them. */
export const ALGORITHMS = {
  [-7]: { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  [-8]: { name: 'Ed25519' },
  [-257]: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
} as const

/**
 * The lengths of an RSA modulus, in bytes: 2,048 to 4,096 bits. A longer one takes the platform
 * more time, and a stranger who registers chooses the length.
 */
const MODULUS = { min: 256, max: 512 }

/** 65,537, as all authenticators have it: a greater one takes time, a small one is less safe. */
const EXPONENT = 'AQAB'

/**
 * Reads a public key (RFC 9052, section 7; RFC 9053, section 7; RFC 8230, section 4): the members
 * that its algorithm needs and no other (WebAuthn Level 3, section 6.5.2). Whether a point is on
 * its curve is for the platform to say, which imports it.
 *
 * @returns `undefined` for a key that is not of one of the three algorithms
 */
export async function readCoseKey(cose: CborMap): Promise<PublicKey | undefined> {
  const alg = cose.get(3)
  const jwk = jwkOf(cose, alg)
  if (!jwk) return undefined
  const algorithm = alg as Algorithm
  try {
    const imported = await crypto.subtle.importKey('jwk', jwk, ALGORITHMS[algorithm], true, [
      'verify',
    ])
    const spki = (await crypto.subtle.exportKey('spki', imported)) as ArrayBuffer
    return { key: encodeBase64Url(new Uint8Array(spki)), alg: algorithm }
  } catch {
    return undefined
  }
}

function jwkOf(cose: CborMap, alg: CborValue | undefined): JsonWebKey | undefined {
  const [kty, first, second, third] = [cose.get(1), cose.get(-1), cose.get(-2), cose.get(-3)]
  if (alg === -7 && kty === 2 && first === 1 && cose.size === 5) {
    return isOf(second, 32) && isOf(third, 32)
      ? { kty: 'EC', crv: 'P-256', x: encodeBase64Url(second), y: encodeBase64Url(third) }
      : undefined
  }
  if (alg === -8 && kty === 1 && first === 6 && cose.size === 4) {
    return isOf(second, 32) ? { kty: 'OKP', crv: 'Ed25519', x: encodeBase64Url(second) } : undefined
  }
  if (alg === -257 && kty === 3 && cose.size === 4) {
    if (!isOf(first, MODULUS.min, MODULUS.max) || (first[0] ?? 0) < 0x80) return undefined
    return isOf(second, 3) && encodeBase64Url(second) === EXPONENT
      ? { kty: 'RSA', n: encodeBase64Url(first), e: EXPONENT }
      : undefined
  }
  return undefined
}

/** Is it bytes of this length? */
function isOf(
  value: CborValue | undefined,
  min: number,
  max = min,
): value is Uint8Array<ArrayBuffer> {
  return value instanceof Uint8Array && value.length >= min && value.length <= max
}
