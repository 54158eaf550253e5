import { decode, encode } from 'jose/base64url'

/** The order of the group of P-256 (SP 800-186, 3.2.1.3). */
export const P256_ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n

/** Bytes of each of the two numbers of a signature (RFC 7518, 3.4). */
const SIZE = 32

/**
 * A signature of ES256 has two spellings, with `s` and with `n - s`, and a holder of one can write the other. We sign with
 * the lower one, so that a token has one text.
 *
 * @param token a JWS in its compact form, by ES256
 */
export function hasLowS(token: string): boolean {
  return sOf(signatureOf(token)) <= P256_ORDER >> 1n
}

/** The spelling with the lower `s`. @param token as for {@link hasLowS} */
export function withLowS(token: string): string {
  if (hasLowS(token)) return token
  const signature = signatureOf(token)
  const digits = (P256_ORDER - sOf(signature)).toString(16).padStart(SIZE * 2, '0')
  const low = digits.match(/../g)?.map((byte) => Number.parseInt(byte, 16)) ?? []
  const end = token.lastIndexOf('.') + 1
  return token.slice(0, end) + encode(new Uint8Array([...signature.slice(0, SIZE), ...low]))
}

function signatureOf(token: string): Uint8Array {
  return decode(token.slice(token.lastIndexOf('.') + 1))
}

function sOf(signature: Uint8Array): bigint {
  const bytes = [...signature.slice(SIZE)]
  return BigInt(`0x${bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`)
}
