import { hasDuplicateMembers, isRecord } from '@latchkey/session/internal'
import { decodeProtectedHeader } from 'jose'
import { ASYMMETRIC, verifyByKeysAt } from '../../http/published-keys.js'
import type { Connection } from '../../sign-in/oauth/connection.js'

/** What a logout token says. Times are seconds since the epoch. */
export interface LogoutToken {
  readonly jti: string
  /** The `sub` of the provider, or the `sid` of its session, or both. */
  readonly sub: string | undefined
  readonly sid: string | undefined
  /** When it stops to count. */
  readonly until: number
}

/** The token is not what it must be. The message names the member and quotes no value. */
export class LogoutTokenFault extends Error {
  override name = 'LogoutTokenFault'
}

/** In characters. */
export const MAX_TOKEN = 16_384
/** The longest `jti`, `sub` and `sid`. In characters. */
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
 * @throws the provider's keys cannot be read
 */
export async function verifyLogoutToken(
  { provider, server, fetch, now: millis }: Connection,
  token: string,
): Promise<LogoutToken> {
  const { typ, alg = '' } = headerOf(token)
  if (typ !== undefined && !/^(?:application\/)?(?:logout\+)?jwt$/i.test(String(typ))) throw wrong('typ')
  const listed = server.id_token_signing_alg_values_supported ?? ['RS256']
  const algorithms = listed.filter((one) => ASYMMETRIC.has(one))
  if (!algorithms.includes(alg)) throw wrong('alg')
  const { jwks_uri: address } = server
  if (address === undefined) throw new TypeError('The provider names no keys.')
  const keys = { address, cachedBy: provider.fetch ?? globalThis.fetch, fetch, now: millis }
  const { payload } = await verifyByKeysAt(keys, token, algorithms).catch(asFault)
  const claims = claimsIn(payload)
  const now = millis / 1000
  const { iss, aud, iat, exp, jti, events, sub, sid } = claims
  if (iss !== server.issuer) throw wrong('iss')
  const audiences: unknown[] = Array.isArray(aud) ? aud : [aud]
  const areTexts = audiences.every((one) => typeof one === 'string')
  if (!areTexts || !audiences.includes(provider.clientId)) throw wrong('aud')
  if (typeof iat !== 'number' || iat > now + CLOCK_SKEW || iat < now - LIFE - CLOCK_SKEW) throw wrong('iat')
  if (typeof exp !== 'number' || exp <= now - CLOCK_SKEW) throw wrong('exp')
  if (!isName(jti)) throw wrong('jti')
  const event = isRecord(events) ? events[EVENT] : undefined
  if (!isRecord(event)) throw wrong('events')
  // An ID token has one, and is no logout token.
  if (Object.hasOwn(claims, 'nonce')) throw wrong('nonce')
  if (sub !== undefined && !isName(sub)) throw wrong('sub')
  if (sid !== undefined && !isName(sid)) throw wrong('sid')
  if (sub === undefined && sid === undefined) throw wrong('sub')
  const until = Math.ceil(Math.min(exp, iat + LIFE)) + CLOCK_SKEW + 1
  return { jti, sub, sid, until }
}

function headerOf(token: string) {
  let header: ReturnType<typeof decodeProtectedHeader>
  try {
    header = decodeProtectedHeader(token)
    const [encoded = ''] = token.split('.', 1)
    const text = atob(encoded.replaceAll('-', '+').replaceAll('_', '/'))
    if (hasDuplicateMembers(text, JSON.parse(text))) throw wrong('header')
  } catch {
    throw wrong('header')
  }
  return header
}

function claimsIn(payload: Uint8Array): Readonly<Record<string, unknown>> {
  let claims: unknown
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(payload)
    claims = JSON.parse(text)
    if (hasDuplicateMembers(text, claims)) throw wrong('claims')
  } catch {
    throw wrong('claims')
  }
  if (isRecord(claims)) return claims
  throw wrong('claims')
}

/** A signature that is none is a fault of the token. Keys that cannot be read are the provider's. */
function asFault(error: unknown): never {
  const { code } = error as { readonly code?: unknown }
  if (typeof code === 'string' && /^ERR_J(?:OSE|W)/.test(code)) throw wrong('signature')
  throw error
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_TEXT
}

function wrong(member: string): LogoutTokenFault {
  return new LogoutTokenFault(`"${member}" is not as it must be.`)
}
