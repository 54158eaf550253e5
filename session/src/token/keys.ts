import type { CryptoKey } from 'jose'
import { encode } from 'jose/base64url'
import { isRecord } from '../lib/is-record.js'

declare const signing: unique symbol

/** A private Ed25519 key. A {@link VerifyKey} can never be passed where this is asked for. */
export interface SigningKey {
  readonly [signing]: true
  readonly kid: string
  readonly privateKey: CryptoKey
}

/** A public Ed25519 key, as published in the JWKS. */
export interface VerifyKey {
  readonly kid: string
  readonly publicKey: CryptoKey
  readonly jwk: PublicJwk
}

/** An Ed25519 public key as a JWK (RFC 8037), ready to be published. */
export interface PublicJwk {
  readonly kty: 'OKP'
  readonly crv: 'Ed25519'
  readonly x: string
  readonly kid: string
  readonly alg: 'EdDSA'
  readonly use: 'sig'
}

/** Public keys by `kid`. */
export type VerifyKeys = ReadonlyMap<string, VerifyKey>

/** The keys of a holder of the secret: one that signs, and all that verify. */
export interface SessionKeys {
  readonly signing: SigningKey
  readonly verify: VerifyKeys
}

/** Thrown when a JWKS holds nothing that could verify a session. */
export class KeyError extends Error {
  override name = 'KeyError'
}

const SESSION_KEY_INFO = 'latchkey/session/ed25519/v1'

/** DER of a PKCS #8 Ed25519 private key up to the 32-byte seed (RFC 8410, section 7). */
const PKCS8_PREFIX = [48, 46, 2, 1, 0, 48, 5, 6, 3, 43, 101, 112, 4, 34, 4, 32]

/**
 * Bytes derived from a secret for one purpose by HKDF-SHA256 with an empty salt (RFC 5869).
 * Every purpose has its own `info`, so a key made for one can never serve another.
 *
 * @param length in bytes
 * @example await deriveBytes(secret, 'my-app/cookie/v1', 32)
 */
export async function deriveBytes(
  secret: string,
  info: string,
  length: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const text = new TextEncoder()
  const ikm = await crypto.subtle.importKey('raw', text.encode(secret), 'HKDF', false, [
    'deriveBits',
  ])
  const params = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info: text.encode(info) }
  return new Uint8Array(await crypto.subtle.deriveBits(params, ikm, length * 8))
}

/**
 * The session keys of a list of secrets: the first signs, all verify. Deterministic, so every
 * holder of the secret derives the same keys without a request.
 *
 * @example const keys = await deriveSessionKeys(readSecrets(env))
 */
export async function deriveSessionKeys(secrets: readonly string[]): Promise<SessionKeys> {
  const pairs = await Promise.all(secrets.map(deriveKeyPair))
  const [first] = pairs
  if (!first) throw new KeyError('At least one secret is needed to derive a session key.')
  return {
    signing: first.signing,
    verify: new Map(pairs.map(({ verify }) => [verify.kid, verify])),
  }
}

/**
 * Public keys from a JWKS (RFC 7517), given as an object or as JSON text. Entries of another kind
 * or form are skipped, as the RFC asks (section 5); the `kid` is computed, not taken from the
 * entry.
 *
 * @throws {KeyError} when the input is not a JWKS, holds no Ed25519 key, or holds a private key.
 * @example const keys = await importVerifyKeys(env.AUTH_PUBLIC_KEYS)
 */
export async function importVerifyKeys(jwks: unknown): Promise<VerifyKeys> {
  const keys = new Map<string, VerifyKey>()
  for (const jwk of jwksEntries(jwks)) {
    if ('d' in jwk || 'k' in jwk) {
      throw new KeyError('The JWKS holds a private key. Publish public keys only.')
    }
    if (!isSessionJwk(jwk)) continue
    const key = await importPublicKey(jwk.x).catch(() => undefined)
    if (key) keys.set(key.kid, key)
  }
  if (keys.size === 0) throw new KeyError('The JWKS holds no Ed25519 signature key.')
  return keys
}

/** The JWKS document (RFC 7517) that lets anyone verify sessions. */
export function exportJwks(keys: VerifyKeys): { keys: PublicJwk[] } {
  return { keys: [...keys.values()].map(({ jwk }) => jwk) }
}

async function deriveKeyPair(secret: string): Promise<{ signing: SigningKey; verify: VerifyKey }> {
  const seed = await deriveBytes(secret, SESSION_KEY_INFO, 32)
  const { privateKey, x } = await importSeed(seed)
  const verify = await importPublicKey(x)
  return { signing: { kid: verify.kid, privateKey } as SigningKey, verify }
}

/** The Ed25519 key of 32 bytes (RFC 8032, 5.1.5), and its public point in base64url. */
export async function importSeed(
  seed: Uint8Array,
): Promise<{ readonly privateKey: CryptoKey; readonly x: string }> {
  const pkcs8 = new Uint8Array([...PKCS8_PREFIX, ...seed])
  // Extractable only here, while the public half is read from it.
  const exportable = await crypto.subtle.importKey('pkcs8', pkcs8, 'Ed25519', true, ['sign'])
  const { x } = (await crypto.subtle.exportKey('jwk', exportable)) as { x: string }
  const privateKey = await crypto.subtle.importKey('pkcs8', pkcs8, 'Ed25519', false, ['sign'])
  return { privateKey, x }
}

async function importPublicKey(x: string): Promise<VerifyKey> {
  const point = { kty: 'OKP', crv: 'Ed25519', x } as const
  const publicKey = await crypto.subtle.importKey('jwk', point, 'Ed25519', true, ['verify'])
  const kid = await thumbprintOf({ crv: 'Ed25519', kty: 'OKP', x })
  return { kid, publicKey, jwk: { ...point, kid, alg: 'EdDSA', use: 'sig' } }
}

/**
 * SHA-256 over the required members, without white space (RFC 7638, section 3).
 *
 * @param members in lexical order
 */
export async function thumbprintOf(members: object): Promise<string> {
  const input = new TextEncoder().encode(JSON.stringify(members))
  const digest = await crypto.subtle.digest('SHA-256', input)
  return encode(new Uint8Array(digest))
}

/** 32 bytes in canonical base64url. Another spelling would have another thumbprint. */
const POINT = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/

/** `Ed25519` is the newer name of this `alg` (RFC 9864); some publish keys under it. */
function isSessionJwk(jwk: Record<string, unknown>): jwk is { x: string } {
  const { kty, crv, x, use = 'sig', alg = 'EdDSA' } = jwk
  return (
    kty === 'OKP' &&
    crv === 'Ed25519' &&
    typeof x === 'string' &&
    POINT.test(x) &&
    use === 'sig' &&
    (alg === 'EdDSA' || alg === 'Ed25519')
  )
}

export function jwksEntries(jwks: unknown): Record<string, unknown>[] {
  let value = jwks
  if (typeof value === 'string') {
    try {
      value = JSON.parse(value)
    } catch {
      throw new KeyError('The JWKS is not valid JSON.')
    }
  }
  const keys = isRecord(value) ? value.keys : undefined
  if (!Array.isArray(keys)) throw new KeyError('The JWKS must be an object with a "keys" array.')
  return keys.filter(isRecord)
}
