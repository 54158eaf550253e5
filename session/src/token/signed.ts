import type { CryptoKey } from 'jose'
// The namespace that `jose` exports would be made whenever an isolate starts.
import { decode, encode } from 'jose/base64url'
import type { SessionClaims } from './claims.js'
import { hasDuplicateMembers } from './duplicate-members.js'
import type { SigningKey, VerifyKey } from './keys.js'

/** The reasons why a text does not count as signed by us, before its content is read. */
export type SignatureFault =
  | 'not-a-jws'
  | 'not-canonical'
  | 'header'
  | 'unknown-key'
  | 'bad-signature'
  | 'claims'

/** The names that WebCrypto has for signatures, by the `alg` of a header. */
export type SignatureAlgorithms = ReadonlyMap<string, SignatureAlgorithm>

/** A signature, as WebCrypto names it. */
export type SignatureAlgorithm =
  | 'Ed25519'
  | 'RSASSA-PKCS1-v1_5'
  | { readonly name: 'ECDSA'; readonly hash: 'SHA-256' }

const ENCODER = new TextEncoder()

const ED25519: SignatureAlgorithms = new Map([['EdDSA', 'Ed25519']])

/** Three base64url parts; an Ed25519 signature is 64 bytes, and its last character has 4 zero bits. */
const CANONICAL = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{85}[AQgw]$/
const SHAPE = /^[^.]*\.[^.]*\.[^.]*$/

/**
 * JWS compact, `EdDSA`, `kid` the key's thumbprint; `typ` names the kind of content (RFC 8725,
 * 3.11).
 */
export async function signJson(content: object, typ: string, key: SigningKey): Promise<string> {
  return signCompact({ alg: 'EdDSA', typ, kid: key.kid }, content, 'Ed25519', key.privateKey)
}

/**
 * A JWS in its compact form (RFC 7515, 7.1), signed by the platform: a general library would be as
 * large again as the rest of this package.
 *
 * @param algorithm the platform's name for the `alg` of the header
 */
export async function signCompact(
  header: object,
  content: object,
  algorithm: SignatureAlgorithm,
  key: CryptoKey,
): Promise<string> {
  const input = `${encode(JSON.stringify(header))}.${encode(JSON.stringify(content))}`
  const signature = await crypto.subtle.sign(algorithm, key, ENCODER.encode(input))
  return `${input}.${encode(new Uint8Array(signature))}`
}

/** A signed text that is expected. */
interface Expected {
  readonly typ: string
  /** By `kid`. A key with an `alg` verifies signatures of that one alone (RFC 8725, 3.1). */
  readonly keys: ReadonlyMap<
    string,
    Pick<VerifyKey, 'publicKey'> & { readonly alg?: string | undefined }
  >
  /** In characters. */
  readonly maxLength: number
  /** The form of the whole. Default: that with an Ed25519 signature. */
  readonly form?: RegExp
  /** Default: Ed25519 alone. */
  readonly algorithms?: SignatureAlgorithms
}

/**
 * The JSON that one of the keys has signed as this `typ`, accepted in its one canonical encoding
 * only.
 *
 * @returns the reason, a string, when it is refused; signed content is never a string
 */
export async function readSigned(
  text: string,
  { typ, keys, maxLength, form = CANONICAL, algorithms = ED25519 }: Expected,
): Promise<object | SignatureFault> {
  if (typeof text !== 'string' || text.length > maxLength) return 'not-a-jws'
  // Another encoding of the same signature verifies too, and would be another key in every cache
  // and deny-list: only the canonical form passes.
  if (!form.test(text)) return SHAPE.test(text) ? 'not-canonical' : 'not-a-jws'
  const payload = text.indexOf('.') + 1
  const signature = text.lastIndexOf('.') + 1
  const encoded = text.slice(0, payload - 1)
  const known = headers.get(encoded)
  const header = known ?? parse(() => fromBase64(encoded))
  if (!isHeader(header, typ)) return 'header'
  const { alg, kid } = header
  const algorithm = algorithms.get(alg)
  if (algorithm === undefined) return 'header'
  const key = keys.get(kid)
  if (!key) return 'unknown-key'
  if (key.alg !== undefined && key.alg !== alg) return 'header'
  const isGenuine = await isSignedBy(
    key.publicKey,
    algorithm,
    text.slice(0, signature - 1),
    text.slice(signature),
  )
  if (!isGenuine) return 'bad-signature'
  // A text of its own: a slice would keep the whole token.
  if (!known && headers.size < MAX_HEADERS) headers.set(encode(JSON.stringify(header)), header)
  const content = parse(() => utf8(fromBase64(text.slice(payload, signature - 1))))
  return typeof content === 'object' && content !== null ? content : 'claims'
}

/** Headers of genuine texts by their encoding: all tokens of one key have the same one. */
const headers = new Map<string, unknown>()

/** More keys and types than a process reads; those of further ones are read each time. */
const MAX_HEADERS = 16

/**
 * `undefined` for a text that is not JSON, or that has a member twice; no JSON text has that value.
 */
function parse(read: () => string): unknown {
  try {
    const text = read()
    const value: unknown = JSON.parse(text)
    return hasDuplicateMembers(text, value) ? undefined : value
  } catch {
    return undefined
  }
}

/** One character for each byte. */
function fromBase64(part: string): string {
  return atob(part.replaceAll('-', '+').replaceAll('_', '/'))
}

const BEYOND_ASCII = /[\x80-\xff]/

/** @throws {TypeError} for bytes that are not UTF-8 */
function utf8(bytes: string): string {
  if (!BEYOND_ASCII.test(bytes)) return bytes
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  return decoder.decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)))
}

/**
 * RFC 8037, 3.1. Uses the platform directly, since a general library takes half as much time again.
 */
function isSignedBy(
  publicKey: CryptoKey,
  algorithm: SignatureAlgorithm,
  input: string,
  signature: string,
): Promise<boolean> {
  const bytes = decode(signature) as Uint8Array<ArrayBuffer>
  return crypto.subtle.verify(algorithm, publicKey, bytes, ENCODER.encode(input)).catch(() => false)
}

/**
 * Has the header exactly the three parameters that the issuer writes? Any other, such as `crit` or
 * `jwk`, is a refusal.
 */
function isHeader(header: unknown, typ: string): header is { alg: string; kid: string } {
  if (typeof header !== 'object' || header === null) return false
  const { alg, typ: type, kid, ...rest } = header as Record<string, unknown>
  return (
    typeof alg === 'string' &&
    type === typ &&
    typeof kid === 'string' &&
    Object.keys(rest).length === 0
  )
}

/** The `typ` of a session token. No other token that Latchkey issues has it (RFC 8725, 3.11). */
export const SESSION_TYP = 'session+jwt'

/**
 * Signs a session token: JWS compact, `EdDSA`, `typ: session+jwt`, `kid` the key's thumbprint.
 *
 * @example await signSessionToken(claims, keys.signing)
 */
export async function signSessionToken(claims: SessionClaims, key: SigningKey): Promise<string> {
  return signJson(claims, SESSION_TYP, key)
}
