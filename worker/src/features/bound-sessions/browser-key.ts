import { isRecord } from '@latchkey/session/internal'
import { decodeBase64Url, encodeBase64Url } from '../../lib/base64url.js'
import { isModulus } from '../../lib/is-modulus.js'

/** The public key of a browser: what signs its proofs, and nothing else of what it sent. */
export type BrowserKey =
  | { readonly kty: 'EC'; readonly crv: 'P-256'; readonly x: string; readonly y: string }
  | { readonly kty: 'RSA'; readonly n: string; readonly e: 'AQAB' }

export function algOf({ kty }: BrowserKey): 'ES256' | 'RS256' {
  return kty === 'EC' ? 'ES256' : 'RS256'
}

/**
 * The public key of a JWK (RFC 7518, 6.2.1 and 6.3.1). Whether a point is on the curve is known when the key is used.
 *
 * @returns `undefined`: it must not sign, or has a private part
 */
export function keyIn(jwk: unknown): BrowserKey | undefined {
  if (!isRecord(jwk) || Object.hasOwn(jwk, 'd')) return undefined
  const { kty, crv, x, y, n, e } = jwk
  if (kty === 'EC' && crv === 'P-256' && isCoordinate(x) && isCoordinate(y)) {
    return { kty, crv, x, y }
  }
  return kty === 'RSA' && e === 'AQAB' && isModulus(n) ? { kty, n, e } : undefined
}

/** 256 bits, which are 43 characters: longer texts are not decoded. */
function isCoordinate(value: unknown): value is string {
  return typeof value === 'string' && value.length === 43 && decodeBase64Url(value)?.length === 32
}

/** As short as a challenge needs it. */
export function packedKey(key: BrowserKey): string {
  return key.kty === 'EC' ? `${key.x}.${key.y}` : key.n
}

export function unpackedKey(text: string): BrowserKey {
  const [first = '', y] = text.split('.')
  return y === undefined
    ? { kty: 'RSA', n: first, e: 'AQAB' }
    : { kty: 'EC', crv: 'P-256', x: first, y }
}

/** The claim `cnf` of the tokens of a session with this key: its thumbprint, of the members in their order (RFC 7638, 3; RFC 7800, 3.1). */
export async function confirmationOf(key: BrowserKey): Promise<{ readonly jkt: string }> {
  const members = Object.entries(key).sort(([one], [other]) => (one < other ? -1 : 1))
  const text = new TextEncoder().encode(JSON.stringify(Object.fromEntries(members)))
  const hash = await crypto.subtle.digest('SHA-256', text)
  return { jkt: encodeBase64Url(new Uint8Array(hash)) }
}
