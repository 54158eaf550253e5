import { decodeBase64Url } from '../../lib/base64url.js'
import { ALGORITHMS, type PublicKey } from './cose-key.js'

/**
 * Has the key signed this? The signature is as WebAuthn Level 3, section 6.5.5 has it: of ECDSA in
 * DER, of the others as WebCrypto takes them. Anything else is `false`.
 */
export async function isSignedBy(
  { key, alg }: PublicKey,
  signature: Uint8Array<ArrayBuffer>,
  data: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const spki = decodeBase64Url(key)
  const raw = alg === -7 ? rawSignature(signature) : signature
  if (!spki || !raw) return false
  const algorithm = ALGORITHMS[alg]
  try {
    const imported = await crypto.subtle.importKey('spki', spki, algorithm, false, ['verify'])
    return await crypto.subtle.verify(algorithm, imported, raw, data)
  } catch {
    return false
  }
}

/** Bytes of each of the two numbers of a signature on P-256. */
const NUMBER = 32

/**
 * The two numbers of an ECDSA signature beside each other, as WebCrypto wants them, of the DER
 * sequence that authenticators write (RFC 3279, section 2.2.3). Another encoding of the same
 * numbers is refused.
 */
function rawSignature(der: Uint8Array): Uint8Array<ArrayBuffer> | undefined {
  // A sequence of all the rest, whose length fits into seven bits.
  if (der[0] !== 0x30 || der[1] !== der.length - 2) return undefined
  const raw = new Uint8Array(2 * NUMBER)
  let at = 2
  for (const end of [NUMBER, 2 * NUMBER]) {
    const length = der[at + 1] ?? 0
    const number = der.subarray(at + 2, at + 2 + length)
    if (der[at] !== 0x02 || number.length !== length || !isNatural(number)) return undefined
    const digits = number[0] === 0 ? number.subarray(1) : number
    if (digits.length > NUMBER) return undefined
    raw.set(digits, end - digits.length)
    at += 2 + length
  }
  return at === der.length ? raw : undefined
}

/**
 * A number from 1 in DER: not negative, and with no zero byte in front, except one that keeps it
 * from being negative.
 */
function isNatural([first, second = 0]: Uint8Array): boolean {
  if (first === undefined || first > 0x7f) return false
  return first !== 0 || second > 0x7f
}
