import { isRecord } from '@latchkey/session/internal'
import { StoreUnavailable } from '../../errors.js'
import { ASYMMETRIC, verifyByKeysAt } from '../../http/published-keys.js'
import { isOfType, jtiOf, readJwt } from '../../http/read-jwt.js'
import type { Connection } from '../../sign-in/oauth/connection.js'

/** What a logout token says. */
export interface LogoutToken {
  readonly jti: string
  /** The `sub` of the provider, or the `sid` of its session, or both. */
  readonly sub: string | undefined
  readonly sid: string | undefined
  /** When it stops to count. Seconds since the epoch. */
  readonly until: number
}

/** The token is not what it must be. The message names the member and quotes no value. */
export class LogoutTokenFault extends Error {
  override name = 'LogoutTokenFault'
}

/** The longest `sub` and `sid`. In characters. */
const MAX_TEXT = 255
/** How long one counts after it was issued. Seconds. */
const LIFE = 10 * 60
/** Clocks may differ by this much. Seconds. */
const CLOCK_SKEW = 60

const EVENT = 'http://schemas.openid.net/event/backchannel-logout'

/**
 * Validates a logout token (OpenID Connect Back-Channel Logout 1.0, section 2.6).
 *
 * @throws {LogoutTokenFault} what is wrong with it
 * @throws {StoreUnavailable} the provider's keys cannot be read
 */
export async function verifyLogoutToken(
  { provider, server, fetch, now: millis }: Connection,
  token: string,
): Promise<LogoutToken> {
  const jwt = readJwt(token)
  if (!jwt) throw wrong('logout_token')
  if (!isOfType(jwt, ['logout+jwt', 'jwt', undefined])) throw wrong('typ')
  const listed = server.id_token_signing_alg_values_supported ?? ['RS256']
  const algorithms = listed.filter((one) => ASYMMETRIC.has(one))
  if (!algorithms.includes(String(jwt.header.alg))) throw wrong('alg')
  const now = millis / 1000
  // The cheap checks come first: nothing that they accept is true before the signature is.
  const read = claimsOf(jwt.claims, { issuer: server.issuer, clientId: provider.clientId, now })
  const jti = jtiOf(jwt)
  if (jti === undefined) throw wrong('jti')
  const { jwks_uri: address } = server
  if (address === undefined) throw unreadable(undefined)
  const cachedBy = provider.fetch ?? globalThis.fetch
  const keys = { address, cachedBy, fetch, now: millis, unreadable }
  await verifyByKeysAt(keys, token, algorithms).catch((error: unknown) => {
    throw error instanceof StoreUnavailable ? error : wrong('signature')
  })
  return { ...read, jti }
}

/** The claims but for `jti`, compared with what they must be. @throws {LogoutTokenFault} */
function claimsOf(
  claims: Readonly<Record<string, unknown>>,
  {
    issuer,
    clientId,
    now,
  }: { readonly issuer: string; readonly clientId: string; readonly now: number },
): Omit<LogoutToken, 'jti'> {
  const { iss, aud, iat, exp, nbf, events, sub, sid } = claims
  if (iss !== issuer) throw wrong('iss')
  const audiences: unknown[] = Array.isArray(aud) ? aud : [aud]
  const areTexts = audiences.every((one) => typeof one === 'string')
  if (!areTexts || !audiences.includes(clientId)) throw wrong('aud')
  if (!isTime(iat) || iat > now + CLOCK_SKEW || iat < now - LIFE - CLOCK_SKEW) throw wrong('iat')
  if (!isTime(exp) || exp <= now - CLOCK_SKEW) throw wrong('exp')
  if (nbf !== undefined && !(isTime(nbf) && nbf <= now + CLOCK_SKEW)) throw wrong('nbf')
  const event = isRecord(events) ? events[EVENT] : undefined
  if (!isRecord(event)) throw wrong('events')
  // An ID token has one, and is not a logout token.
  if (Object.hasOwn(claims, 'nonce')) throw wrong('nonce')
  if (!isName(sub, claims, 'sub')) throw wrong('sub')
  if (!isName(sid, claims, 'sid')) throw wrong('sid')
  if (sub === undefined && sid === undefined) throw wrong('sub')
  const until = Math.ceil(Math.min(exp, iat + LIFE)) + CLOCK_SKEW + 1
  return { sub, sid, until }
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}

/** Is it a name, or absent? */
function isName(
  value: unknown,
  claims: Readonly<Record<string, unknown>>,
  member: string,
): value is string | undefined {
  if (!Object.hasOwn(claims, member)) return true
  return typeof value === 'string' && value !== '' && value.length <= MAX_TEXT
}

function wrong(member: string): LogoutTokenFault {
  return new LogoutTokenFault(`"${member}" is not as it must be.`)
}

/** Perhaps the token is good: it counts afterwards. */
function unreadable(cause: unknown): StoreUnavailable {
  return new StoreUnavailable('The keys of a company’s provider cannot be read now.', { cause })
}
