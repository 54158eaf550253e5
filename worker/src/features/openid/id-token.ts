import { isRecord } from '@latchkey/session/internal'
import {
  compactVerify,
  createLocalJWKSet,
  decodeProtectedHeader,
  type JSONWebKeySet,
  type JWK,
} from 'jose'
import { JWKSNoMatchingKey } from 'jose/errors'
import { fetchDocument } from '../../http/limited-fetch.js'
import { encodeBase64Url } from '../../lib/base64url.js'
import type { Connection } from '../../sign-in/oauth/connection.js'
import type { ExpectedIdToken, IdTokenClaims } from '../../sign-in/oauth/openid.js'
import { cachedDocument, type DocumentSource, refetch } from './documents.js'

/** Clocks may differ by this much. Seconds. */
const CLOCK_SKEW = 60
/** The greatest age of an ID token, which is issued for the request that fetches it. Seconds. */
const MAX_AGE = 10 * 60
/** In characters (OpenID Connect Core, section 2). */
const MAX_SUBJECT = 255

/**
 * The algorithms that are accepted unless the configuration names one `alg`: none that is
 * symmetric, and never `none`.
 */
const ASYMMETRIC: ReadonlySet<string> = new Set([
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
])

class IdTokenError extends Error {
  override name = 'IdTokenError'
}

/**
 * Validates an ID token (OpenID Connect Core, section 3.1.3.7; RFC 8725): signature by the
 * provider's keys, `alg`, `typ`, `iss`, `aud`, `azp`, `exp`, `nbf`, `iat`, `nonce`, `at_hash`,
 * `sub`, and `auth_time` if it was asked for. TLS to the token endpoint replaces none of these checks.
 *
 * @throws when a check fails; the error names the claim and quotes no value
 */
export async function verifyIdToken(
  connection: Connection,
  idToken: string,
  expected: ExpectedIdToken,
): Promise<IdTokenClaims> {
  const { alg, payload, keyIssuer } = await verifySignature(connection, idToken)
  const claims: unknown = JSON.parse(new TextDecoder().decode(payload))
  if (!isRecord(claims)) throw new IdTokenError('The ID token holds no claims.')
  checkIssuer(connection, claims, keyIssuer)
  checkAudience(connection, claims)
  checkTimes(claims, connection.now / 1000)
  if (expected.maxAge !== undefined) {
    checkAuthTime(claims, connection.now / 1000, expected.maxAge)
  }
  const { sub, nonce, at_hash } = claims
  if (typeof sub !== 'string' || sub === '' || sub.length > MAX_SUBJECT) throw wrong('sub')
  if (nonce !== expected.nonce) throw wrong('nonce')
  if (at_hash !== undefined && at_hash !== (await tokenHash(alg, expected.accessToken))) {
    throw wrong('at_hash')
  }
  return claims as IdTokenClaims
}

interface Signed {
  readonly alg: string
  readonly payload: Uint8Array
  /** The issuer of a key, if the provider names one for its keys. */
  readonly keyIssuer?: string | undefined
}

async function verifySignature(connection: Connection, idToken: string): Promise<Signed> {
  const { alg = '', typ, kid } = decodeProtectedHeader(idToken)
  const accepted = acceptedAlgs(connection)
  if (!accepted.includes(alg)) throw wrong('alg')
  // A token of another kind, such as `at+jwt` or `logout+jwt`, is not an ID token.
  if (typ !== undefined && !/^(?:application\/)?jwt$/i.test(typ)) throw wrong('typ')
  const options = { algorithms: accepted }
  if (alg.startsWith('HS')) {
    const { clientSecret } = connection.provider
    if (typeof clientSecret !== 'string') throw wrong('alg')
    const key = new TextEncoder().encode(clientSecret)
    return { alg, ...(await compactVerify(idToken, key, options)) }
  }
  const verify = async ({ find, issuers }: PublishedKeys): Promise<Signed> => {
    const { payload } = await compactVerify(idToken, find, options)
    return { alg, payload, keyIssuer: issuers.get(kid) }
  }
  const reading = readingKeys(connection)
  const keys = await cachedDocument(reading.name, reading)
  try {
    return await verify(keys)
  } catch (error) {
    // The provider may have changed its keys: they are read again, unless that just happened.
    if (!(error instanceof JWKSNoMatchingKey) || reading.wasRead) throw error
    const result = await refetch(reading.name, reading, verify)
    if (!result) throw error
    return result
  }
}

function acceptedAlgs({ provider, server }: Connection): string[] {
  const { idTokenAlg } = provider
  if (idTokenAlg !== undefined) return idTokenAlg === 'none' ? [] : [idTokenAlg]
  const listed = server.id_token_signing_alg_values_supported ?? ['RS256']
  return listed.filter((alg) => ASYMMETRIC.has(alg))
}

interface PublishedKeys {
  readonly find: ReturnType<typeof createLocalJWKSet>
  /** Finds the key by its id. */
  readonly issuers: ReadonlyMap<unknown, string>
}

/** How the provider's keys are read; `wasRead` once they have been. */
function readingKeys({ provider, server, fetch, now }: Connection) {
  const { jwks_uri } = server
  if (jwks_uri === undefined) throw new IdTokenError('The provider names no keys.')
  const reading = {
    name: jwks_uri,
    cachedBy: provider.fetch ?? globalThis.fetch,
    now,
    wasRead: false as boolean,
    read: async (): Promise<PublishedKeys> => {
      const published = (await fetchDocument(fetch, jwks_uri)) as unknown as JSONWebKeySet
      const find = createLocalJWKSet(published)
      const issuers = published.keys.flatMap(({ kid, issuer }: JWK & { issuer?: unknown }) =>
        typeof issuer === 'string' ? [[kid, issuer] as const] : [],
      )
      reading.wasRead = true
      return { find, issuers: new Map(issuers) }
    },
  } satisfies DocumentSource<PublishedKeys> & { name: string; wasRead: boolean }
  return reading
}

function checkIssuer(
  { provider, server }: Connection,
  claims: Record<string, unknown>,
  keyIssuer: string | undefined,
): void {
  const issuer = provider.issuerOf?.(claims, server.issuer) ?? server.issuer
  if (claims.iss !== issuer) throw wrong('iss')
  // A key of one audience must not sign for another ("Storm-0558").
  if (!provider.issuerOf || keyIssuer === undefined) return
  if (provider.issuerOf(claims, keyIssuer) !== issuer) throw wrong('kid')
}

function checkAudience({ provider }: Connection, { aud, azp }: Record<string, unknown>): void {
  const audiences: unknown[] = Array.isArray(aud) ? aud : [aud]
  if (!audiences.includes(provider.clientId)) throw wrong('aud')
  if (!audiences.every((audience) => typeof audience === 'string')) throw wrong('aud')
  // The token must be issued to us, not only have us as an audience.
  if (azp === undefined ? audiences.length > 1 : azp !== provider.clientId) throw wrong('azp')
}

function checkTimes({ exp, nbf, iat }: Record<string, unknown>, now: number): void {
  if (typeof exp !== 'number' || exp <= now - CLOCK_SKEW) throw wrong('exp')
  if (nbf !== undefined && (typeof nbf !== 'number' || nbf > now + CLOCK_SKEW)) throw wrong('nbf')
  if (typeof iat !== 'number' || iat > now + CLOCK_SKEW) throw wrong('iat')
  if (iat < now - MAX_AGE - CLOCK_SKEW) throw wrong('iat')
}

/** Required if `max_age` was sent, and to be compared with it (OpenID Connect Core, 2, and 3.1.3.7, step 13). */
function checkAuthTime({ auth_time }: Record<string, unknown>, now: number, maxAge: number): void {
  if (typeof auth_time !== 'number' || auth_time > now + CLOCK_SKEW) throw wrong('auth_time')
  if (now - auth_time > maxAge + CLOCK_SKEW) throw wrong('auth_time')
}

/** The left half of the hash that belongs to `alg` (OpenID Connect Core, section 3.1.3.6). */
async function tokenHash(alg: string, token: string): Promise<string> {
  const digest = await crypto.subtle.digest(
    // The hash of Ed25519 is SHA-512 (RFC 8032): `Ed25519` and `EdDSA` name none.
    `SHA-${/(?:256|384|512)$/.exec(alg)?.[0] ?? '512'}`,
    new TextEncoder().encode(token),
  )
  return encodeBase64Url(new Uint8Array(digest, 0, digest.byteLength / 2))
}

function wrong(member: string): IdTokenError {
  return new IdTokenError(`"${member}" of the ID token is not as it must be.`)
}
