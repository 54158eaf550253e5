import { CompactSign, compactVerify } from 'jose'
import type { SigningKey, VerifyKeys } from './keys.js'

/** Why a text is not something that we signed, before its content is looked at. */
export type SignatureFault =
  | 'not-a-jws'
  | 'not-canonical'
  | 'header'
  | 'unknown-key'
  | 'bad-signature'
  | 'claims'

/** Three base64url parts; an Ed25519 signature is 64 bytes, whose last character has 4 zero bits. */
const CANONICAL = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{85}[AQgw]$/
const SHAPE = /^[^.]*\.[^.]*\.[^.]*$/

/** JWS compact, `EdDSA`, `kid` the key's thumbprint; `typ` says what it is (RFC 8725, 3.11). */
export async function signJson(content: object, typ: string, key: SigningKey): Promise<string> {
  return new CompactSign(new TextEncoder().encode(JSON.stringify(content)))
    .setProtectedHeader({ alg: 'EdDSA', typ, kid: key.kid })
    .sign(key.privateKey)
}

/**
 * The JSON that one of the keys has signed as this `typ`, in the one spelling that has no other.
 *
 * @returns a text for a fault; signed content is never a text
 */
export async function readSigned(
  text: string,
  { typ, keys, maxLength }: { typ: string; keys: VerifyKeys; maxLength: number },
): Promise<object | SignatureFault> {
  if (typeof text !== 'string' || text.length > maxLength || !SHAPE.test(text)) return 'not-a-jws'
  // A signature that is spelled another way verifies too, and would be another key in every cache
  // and deny-list: only the one canonical form passes.
  if (!CANONICAL.test(text)) return 'not-canonical'
  const header = decodeJson(text.slice(0, text.indexOf('.')))
  if (!isHeader(header, typ)) return 'header'
  const key = keys.get(header.kid)
  if (!key) return 'unknown-key'
  try {
    const { payload } = await compactVerify(text, key.publicKey, { algorithms: ['EdDSA'] })
    const json = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(payload)
    const content: unknown = JSON.parse(json)
    return typeof content === 'object' && content !== null ? content : 'claims'
  } catch (error) {
    return error instanceof SyntaxError || error instanceof TypeError ? 'claims' : 'bad-signature'
  }
}

/** Exactly the three header parameters that the issuer writes; `crit`, `jwk` and others refuse. */
function isHeader(header: unknown, typ: string): header is { kid: string } {
  if (typeof header !== 'object' || header === null) return false
  const { alg, typ: found, kid, ...rest } = header as Record<string, unknown>
  return (
    alg === 'EdDSA' && found === typ && typeof kid === 'string' && Object.keys(rest).length === 0
  )
}

function decodeJson(part: string): unknown {
  try {
    return JSON.parse(atob(part.replaceAll('-', '+').replaceAll('_', '/')))
  } catch {
    return undefined
  }
}
