import {
  deriveAccessKeys,
  importTokenKey,
  type TokenAlg,
  type TokenVerifyKey,
  type TokenVerifyKeys,
} from '../token/access-keys.js'
import { jwksEntries, KeyError } from '../token/keys.js'
import { configuredSecrets } from '../token/secrets.js'
import type { KeySource, PublishedKeys } from './key-source.js'
import type { WaitUntil } from './poller.js'

/** The most keys of a JWKS that are read. */
const MAX_KEYS = 64

/** 32 bytes in canonical base64url. Another spelling would have another thumbprint. */
const COORDINATE = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/
/** 256 bytes: a shorter modulus is weak, and the service makes no longer one. */
const MODULUS = /^[A-Za-z0-9_-]{341}[AQgw]$/

/** What a key of each `alg` looks like (RFC 7518, section 6; RFC 8037, section 2). */
const FORMS: Readonly<Record<TokenAlg, (jwk: Record<string, unknown>) => object | undefined>> = {
  EdDSA: ({ kty, crv, x }) =>
    kty === 'OKP' && crv === 'Ed25519' && isLike(COORDINATE, x) ? { kty, crv, x } : undefined,
  ES256: ({ kty, crv, x, y }) =>
    kty === 'EC' && crv === 'P-256' && isLike(COORDINATE, x) && isLike(COORDINATE, y)
      ? { kty, crv, x, y }
      : undefined,
  RS256: ({ kty, n, e }) =>
    kty === 'RSA' && e === 'AQAB' && isLike(MODULUS, n) ? { kty, n, e } : undefined,
}

/**
 * The public keys of tokens from a JWKS (RFC 7517), given as an object or as JSON text. Entries of another kind or
 * form are skipped, as the RFC asks (section 5). An entry has to name its `alg`, and verifies that one alone; the
 * `kid` is computed, not taken from it.
 *
 * @throws {KeyError} when the input is not a JWKS, has no key of tokens, or a private one
 */
export async function importTokenKeys(jwks: unknown): Promise<TokenVerifyKeys> {
  return importEntries(entriesOf(jwks))
}

/** The members of a public key, and how it signs. */
type Entry = readonly [alg: TokenAlg, point: object]

function entriesOf(jwks: unknown): readonly Entry[] {
  const entries: Entry[] = []
  for (const jwk of jwksEntries(jwks).slice(0, MAX_KEYS)) {
    if ('d' in jwk || 'k' in jwk) {
      throw new KeyError('The JWKS holds a private key. Publish public keys only.')
    }
    const { alg, use = 'sig' } = jwk
    if (use !== 'sig' || !isTokenAlg(alg)) continue
    const point = FORMS[alg](jwk)
    if (point) entries.push([alg, point])
  }
  if (entries.length === 0) throw new KeyError('The JWKS holds no key of access tokens.')
  return entries
}

async function importEntries(entries: readonly Entry[]): Promise<TokenVerifyKeys> {
  const keys = new Map<string, TokenVerifyKey>()
  for (const entry of entries) {
    // A point that is not on its curve cannot be imported.
    const key = await importTokenKey(...entry).catch(() => undefined)
    if (key) keys.set(key.kid, key)
  }
  return keys
}

function isTokenAlg(alg: unknown): alg is TokenAlg {
  return typeof alg === 'string' && Object.hasOwn(FORMS, alg)
}

function isLike(form: RegExp, value: unknown): value is string {
  return typeof value === 'string' && form.test(value)
}

/** Keys that are given and never change. @throws {KeyError} as {@link importTokenKeys} */
export function givenTokenKeys(publicKeys: unknown): KeySource<TokenVerifyKeys> {
  // Looked at here, so that a text that is not such a JWKS is an error at the start.
  const entries = entriesOf(publicKeys)
  let current: TokenVerifyKeys | undefined
  const load = async () => {
    const keys = await importEntries(entries)
    current ??= keys
  }
  return {
    usable: () => current,
    isCurrent: () => current !== undefined,
    refreshIfDue: () => (current ? undefined : load()),
    lookFor: async () => true,
  }
}

/**
 * Keys that are derived from the secrets. P-256 is derived for the first token that says `ES256`. An RSA key cannot be derived: a service that is known publishes it.
 */
export class DerivedTokenKeys implements KeySource<TokenVerifyKeys> {
  readonly #secrets: readonly string[]
  readonly #published: PublishedKeys<TokenVerifyKeys> | undefined
  #derived: TokenVerifyKeys | undefined
  #hasAll = false
  /** Made of the others while they are the same objects. */
  #merged:
    | {
        readonly derived: TokenVerifyKeys
        readonly theirs: TokenVerifyKeys
        readonly all: TokenVerifyKeys
      }
    | undefined

  /** @throws {SecretError} */
  constructor(
    secret: string | readonly string[],
    published: PublishedKeys<TokenVerifyKeys> | undefined,
  ) {
    // Checked here, so that a secret that is too short is an error at the start.
    this.#secrets = configuredSecrets(secret)
    this.#published = published
  }

  usable(now: number): TokenVerifyKeys | undefined {
    const derived = this.#derived
    const theirs = this.#published?.usable(now)
    if (!derived || !theirs) return derived
    if (this.#merged?.derived !== derived || this.#merged.theirs !== theirs) {
      this.#merged = { derived, theirs, all: new Map([...theirs, ...derived]) }
    }
    return this.#merged.all
  }

  isCurrent(now: number): boolean {
    if (this.#derived === undefined) return false
    return this.#published?.usable(now) === undefined || this.#published.isCurrent(now)
  }

  refreshIfDue(now: number, waitUntil?: WaitUntil): Promise<unknown> | undefined {
    if (this.#derived === undefined) return this.#derive('EdDSA')
    // Published keys that no token has needed yet are not fetched.
    if (this.#published?.usable(now) === undefined) return undefined
    return this.#published.refreshIfDue(now, waitUntil)
  }

  async lookFor(now: number, waitUntil?: WaitUntil, alg?: string): Promise<boolean> {
    if (alg === 'RS256') return (await this.#published?.lookFor(now, waitUntil)) ?? true
    if (!this.#hasAll && alg === 'ES256') {
      await this.#derive('ES256')
      this.#hasAll = true
    }
    return true
  }

  async #derive(alg: 'EdDSA' | 'ES256'): Promise<void> {
    const keys = await deriveAccessKeys(this.#secrets, alg)
    const known = [...(this.#derived ?? [])]
    this.#derived = new Map([...known, ...keys.map((key) => [key.kid, key] as const)])
  }
}
