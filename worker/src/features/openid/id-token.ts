import { isRecord } from '@latchkey/session/internal'
import { compactVerify, decodeProtectedHeader } from 'jose'
import { ASYMMETRIC, verifyByKeysAt } from '../../http/published-keys.js'
import { encodeBase64Url } from '../../lib/base64url.js'
import type { Connection } from '../../sign-in/oauth/connection.js'
import type { ExpectedIdToken, IdTokenClaims } from '../../sign-in/oauth/openid.js'

/** Clocks may differ by this much. Seconds. */
const CLOCK_SKEW = 60
/** The greatest age of an ID token, which is issued for the request that fetches it. Seconds. */
const MAX_AGE = 10 * 60
/** In characters (OpenID Connect Core, section 2). */
const MAX_SUBJECT = 255

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
  const { alg = '', typ } = decodeProtectedHeader(idToken)
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
  const { provider, server, fetch, now } = connection
  if (server.jwks_uri === undefined) throw new IdTokenError('The provider names no keys.')
  const cachedBy = provider.fetch ?? globalThis.fetch
  const keys = { address: server.jwks_uri, cachedBy, fetch, now }
  return { alg, ...(await verifyByKeysAt(keys, idToken, accepted)) }
}

/** The algorithms that are accepted unless the configuration names one `alg`: asymmetric ones, and never `none`. */
function acceptedAlgs({ provider, server }: Connection): string[] {
  const { idTokenAlg } = provider
  if (idTokenAlg !== undefined) return idTokenAlg === 'none' ? [] : [idTokenAlg]
  const listed = server.id_token_signing_alg_values_supported ?? ['RS256']
  return listed.filter((alg) => ASYMMETRIC.has(alg))
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
