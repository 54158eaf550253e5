import type { CryptoKey } from 'jose'
import { deriveBytes, importSeed, KeyError, thumbprintOf } from './keys.js'
import { P256_ORDER } from './low-s.js'

/** How an access token or an ID token may be signed (RFC 7518, 3.1; RFC 8037, 3.1). */
export type TokenAlg = 'EdDSA' | 'ES256' | 'RS256'

/** The public half of a key of tokens as a JWK (RFC 7517), ready to be published. */
export interface PublicTokenJwk {
  readonly kty: 'OKP' | 'EC' | 'RSA'
  readonly crv?: 'Ed25519' | 'P-256'
  readonly x?: string
  readonly y?: string
  readonly n?: string
  readonly e?: string
  /** The key's RFC 7638 thumbprint. */
  readonly kid: string
  readonly alg: TokenAlg
  readonly use: 'sig'
}

/** A public key of tokens. It verifies signatures of one `alg`. */
export interface TokenVerifyKey {
  readonly alg: TokenAlg
  readonly kid: string
  readonly publicKey: CryptoKey
  readonly jwk: PublicTokenJwk
}

/** Public keys of tokens by `kid`. */
export type TokenVerifyKeys = ReadonlyMap<string, TokenVerifyKey>

/** A private key of access and ID tokens. No key of sessions has its type, nor the other way round. */
export interface TokenSigningKey {
  readonly alg: TokenAlg
  readonly kid: string
  readonly privateKey: CryptoKey
}

/** Both halves of a key. */
export type TokenKeyPair = TokenSigningKey & TokenVerifyKey

const ED25519_INFO = 'latchkey/access/ed25519/v1'
const P256_INFO = 'latchkey/oauth/p256/v1'

/** 64 bits more than the order has, so that no remainder is likelier than another (FIPS 186-5, A.2.1). */
const P256_BYTES = 48

/**
 * DER of a PKCS #8 P-256 private key up to its 32 bytes (RFC 5958; RFC 5915, section 3). It leaves the public point
 * out, which the platform calculates.
 */
const P256_PREFIX = [
  48, 65, 2, 1, 0, 48, 19, 6, 7, 42, 134, 72, 206, 61, 2, 1, 6, 8, 42, 134, 72, 206, 61, 3, 1, 7, 4,
  39, 48, 37, 2, 1, 1, 4, 32,
]

/** The names that WebCrypto has for the keys of each `alg`. */
const KEY_ALGORITHMS = {
  EdDSA: 'Ed25519',
  ES256: { name: 'ECDSA', namedCurve: 'P-256' },
  RS256: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
} as const

/** The members that the thumbprint covers, in lexical order (RFC 7638, 3.2; RFC 8037, section 2). */
const MEMBERS = {
  EdDSA: ['crv', 'kty', 'x'],
  ES256: ['crv', 'kty', 'x', 'y'],
  RS256: ['e', 'kty', 'n'],
} as const

/**
 * The keys of access and ID tokens for a list of secrets, in its order: the first signs, all verify.
 * Deterministic, so every holder of the secrets derives the same keys without a request. None of them
 * is a key of sessions. Keep the result: each call derives again. An `RS256` key cannot be
 * derived; {@link publishTokenKey} names one that was generated.
 *
 * @throws {KeyError} when there is no secret
 * @example const [signing] = await deriveAccessKeys(readSecrets(env), 'EdDSA')
 */
export async function deriveAccessKeys(
  secrets: readonly string[],
  alg: 'EdDSA' | 'ES256',
): Promise<readonly [TokenKeyPair, ...TokenKeyPair[]]> {
  const derive = alg === 'EdDSA' ? deriveEd25519 : deriveP256
  const [first, ...others] = await Promise.all(secrets.map(derive))
  if (!first) throw new KeyError('At least one secret is needed to derive a key of tokens.')
  return [first, ...others]
}

/**
 * A public key as it is published and as tokens name it, such as that of an RSA key that was generated
 * or unsealed.
 *
 * @param publicKey extractable; for `RS256` of 2,048 bits
 * @example const { kid } = await publishTokenKey('RS256', pair.publicKey)
 */
export async function publishTokenKey(
  alg: TokenAlg,
  publicKey: CryptoKey,
): Promise<TokenVerifyKey> {
  const exported = (await crypto.subtle.exportKey('jwk', publicKey)) as Record<string, string>
  const point = Object.fromEntries(MEMBERS[alg].map((name) => [name, exported[name]]))
  const kid = await thumbprintOf(point)
  return { alg, kid, publicKey, jwk: { ...point, kid, alg, use: 'sig' } as PublicTokenJwk }
}

/** The JWKS document (RFC 7517) with the public members of keys alone. */
export function exportTokenJwks(keys: Iterable<Pick<TokenVerifyKey, 'jwk'>>): {
  keys: PublicTokenJwk[]
} {
  return { keys: [...keys].map(({ jwk }) => jwk) }
}

async function deriveEd25519(secret: string): Promise<TokenKeyPair> {
  const { privateKey, x } = await importSeed(await deriveBytes(secret, ED25519_INFO, 32))
  return pairOf('EdDSA', privateKey, { kty: 'OKP', crv: 'Ed25519', x })
}

async function deriveP256(secret: string): Promise<TokenKeyPair> {
  const bytes = await deriveBytes(secret, P256_INFO, P256_BYTES)
  const scalar = (BigInt(`0x${hexOf(bytes)}`) % (P256_ORDER - 1n)) + 1n
  const digits = scalar.toString(16).padStart(64, '0').match(/../g) ?? []
  const pkcs8 = new Uint8Array([...P256_PREFIX, ...digits.map((byte) => Number.parseInt(byte, 16))])
  const algorithm = KEY_ALGORITHMS.ES256
  // Extractable only here, while the public half is read from it.
  const exportable = await crypto.subtle.importKey('pkcs8', pkcs8, algorithm, true, ['sign'])
  const { x, y } = (await crypto.subtle.exportKey('jwk', exportable)) as { x: string; y: string }
  const privateKey = await crypto.subtle.importKey('pkcs8', pkcs8, algorithm, false, ['sign'])
  return pairOf('ES256', privateKey, { kty: 'EC', crv: 'P-256', x, y })
}

async function pairOf(alg: TokenAlg, privateKey: CryptoKey, point: object): Promise<TokenKeyPair> {
  return { ...(await importTokenKey(alg, point)), privateKey }
}

/** @param point the members of the public key alone. @throws when they are not such a key */
export async function importTokenKey(alg: TokenAlg, point: object): Promise<TokenVerifyKey> {
  const algorithm = KEY_ALGORITHMS[alg]
  return publishTokenKey(
    alg,
    await crypto.subtle.importKey('jwk', point, algorithm, true, ['verify']),
  )
}

function hexOf(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
