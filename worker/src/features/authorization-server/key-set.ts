import { isRecord } from '@latchkey/session/internal'
import { createLocalJWKSet, type JSONWebKeySet } from 'jose'
import { StoreUnavailable } from '../../errors.js'
import { limitedFetch, timeLimit } from '../../http/limited-fetch.js'
import { type KeysAt, verifyByKeys, verifyByKeysAt } from '../../http/published-keys.js'
import type { AuthRequest } from '../../http/request.js'
import { decodeBase64Url } from '../../lib/base64url.js'
import { isLoopback } from '../../lib/is-loopback.js'
import { isModulus } from '../../lib/is-modulus.js'
import { KeysUnreadable } from './oauth-error.js'
import { parsedJson } from './read-resource.js'
import { serverOf } from './settings.js'

/** The public keys of an app: as the configuration has them, or where it publishes them. */
export type AppKeys = { readonly set: JSONWebKeySet } | { readonly uri: string }

/** How an app may sign an assertion about itself (RFC 7518, 3.1; RFC 8037). */
export const ASSERTION_ALGS = ['EdDSA', 'ES256', 'RS256']

/** The same, with the other name that EdDSA by Ed25519 has (RFC 9864), which libraries write. */
const TAKEN = [...ASSERTION_ALGS, 'Ed25519']

/** Does a header name one of them? */
export function isAssertionAlg(alg: unknown): boolean {
  return TAKEN.includes(alg as string)
}

/** The most keys of an app. */
const MAX_KEYS = 20
/** The longest set at an address, in bytes. */
const MAX_SET = 65_536
/** Milliseconds. */
const MAX_WAIT = 5_000
/** In characters. */
const MAX_URI = 1_024

/** The members of private and symmetric keys (RFC 7518, section 6). */
const PRIVATE = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

/**
 * A set of public keys from an option, or a variable.
 *
 * @returns `undefined`: it is not a set, or has a key that cannot be used
 */
export function readKeySet(value: unknown): JSONWebKeySet | undefined {
  const given = typeof value === 'string' ? parsedJson(value) : value
  const keys = isRecord(given) ? given.keys : undefined
  if (!Array.isArray(keys) || keys.length === 0 || keys.length > MAX_KEYS) return undefined
  return keys.every(isUsable) ? setOf(keys) : undefined
}

/** An address of an app that this service asks. @returns `undefined`: it may not be asked */
export function readAddress(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > MAX_URI) return undefined
  const url = URL.parse(value)
  if (!url || url.username + url.password + url.hash !== '') return undefined
  return url.protocol === 'https:' || isLoopback(url) ? url.href : undefined
}

/** Is it a public key that an app may sign with? */
function isUsable(jwk: unknown): jwk is Record<string, unknown> {
  if (!isRecord(jwk) || PRIVATE.some((name) => name in jwk)) return false
  const { kty, crv, x, y, n, e, use = 'sig', alg } = jwk
  if (use !== 'sig') return false
  const isOf = (...own: string[]) => alg === undefined || own.includes(alg as string)
  if (kty === 'OKP') {
    return crv === 'Ed25519' && isOf('EdDSA', 'Ed25519') && lengthOf(x) === 32
  }
  if (kty === 'EC') {
    return crv === 'P-256' && isOf('ES256') && lengthOf(x) === 32 && lengthOf(y) === 32
  }
  // By an exponent of 1 everybody could sign.
  return kty === 'RSA' && isOf('RS256') && e === 'AQAB' && isModulus(n)
}

/** A set without the name of its algorithm where that has two: the curve says it. */
function setOf(keys: readonly Readonly<Record<string, unknown>>[]): JSONWebKeySet {
  const plain = keys.map(({ alg, ...key }) => (key.kty === 'OKP' ? key : { ...key, alg }))
  return JSON.parse(JSON.stringify({ keys: plain })) as JSONWebKeySet
}

function lengthOf(value: unknown): number {
  return typeof value === 'string' ? (decodeBase64Url(value)?.length ?? 0) : 0
}

/** The usable keys of a set at an address, which may also have keys of other kinds. @throws {TypeError} */
function usableIn({ keys }: Record<string, unknown>): JSONWebKeySet {
  if (!Array.isArray(keys) || keys.length > MAX_KEYS) {
    throw new TypeError('There is no set of at most 20 keys.')
  }
  return setOf(keys.filter(isUsable))
}

/**
 * Has one of the app's keys signed this?
 *
 * @throws {StoreUnavailable} the keys cannot be read now
 */
export async function isSignedByApp(
  request: AuthRequest,
  keys: AppKeys,
  jws: string,
): Promise<boolean> {
  const verified = 'set' in keys ? byOwnSet(keys.set, jws) : byAddress(request, keys.uri, jws)
  return verified.then(
    () => true,
    (error: unknown) => {
      if (error instanceof StoreUnavailable) throw error
      return false
    },
  )
}

function byOwnSet(set: JSONWebKeySet, jws: string): Promise<unknown> {
  const find = sets.get(set) ?? createLocalJWKSet(set)
  sets.set(set, find)
  return verifyByKeys(find, jws, TAKEN)
}

/** Its keys are imported once. */
const sets = new WeakMap<JSONWebKeySet, ReturnType<typeof createLocalJWKSet>>()

function byAddress(request: AuthRequest, address: string, jws: string): Promise<unknown> {
  return verifyByKeysAt({ address, ...keySourceOf(request), usable: usableIn }, jws, TAKEN)
}

/** How this server reads public keys: with limits, and as a store that fails while they cannot be read. */
export function keySourceOf(request: AuthRequest): Omit<KeysAt, 'address'> {
  const cachedBy = serverOf(request).fetch ?? globalThis.fetch
  return {
    cachedBy,
    fetch: limitedFetch(cachedBy, timeLimit(MAX_WAIT), MAX_SET),
    now: request.config.now(),
    unreadable: (cause) =>
      new KeysUnreadable('The keys of an app or an issuer cannot be read.', { cause }),
  }
}
