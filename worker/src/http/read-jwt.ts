import { hasDuplicateMembers, isRecord } from '@latchkey/session/internal'
import { decodeBase64Url } from '../lib/base64url.js'

/** Longer assertions are refused before anything is decoded. In characters. */
const MAX_LENGTH = 16_384

/** Clocks may differ by this much for a beginning, and not at all for an end. Seconds. */
const SKEW = 60

const FORM = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/

/** A JWT whose signature is not verified yet. */
export interface ReadJwt {
  readonly text: string
  readonly header: Readonly<Record<string, unknown>>
  readonly claims: Readonly<Record<string, unknown>>
}

/**
 * The header and the claims of a JWT in its compact form, unverified. One with a member twice, at any depth, has two readings, and
 * the issuer may have checked the other one (RFC 8725, 2.4 and 3.10). `crit` asks for extensions, and we have none (RFC 7515, 4.1.11).
 *
 * @returns `undefined` for any other text, and for one of more than 16,384 characters
 */
export function readJwt(text: string): ReadJwt | undefined {
  if (text.length > MAX_LENGTH || !FORM.test(text)) return undefined
  const [head = '', body = ''] = text.split('.', 2)
  const header = objectIn(head)
  const claims = objectIn(body)
  if (!header || !claims || 'crit' in header || 'b64' in header) return undefined
  return { text, header, claims }
}

/** The JSON object in a part of a JWT. @returns `undefined`: the part is not a JSON object, is not UTF-8, or has a member twice */
export function objectIn(part: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const bytes = decodeBase64Url(part)
    if (!bytes) return undefined
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    const value: unknown = JSON.parse(text)
    return isRecord(value) && !hasDuplicateMembers(text, value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Has a header one of these types, in small letters? `application/` may stand before it (RFC 7515, 4.1.9). */
export function isOfType({ header }: ReadJwt, types: readonly (string | undefined)[]): boolean {
  const { typ } = header
  if (typ === undefined) return types.includes(undefined)
  return typeof typ === 'string' && types.includes(typ.toLowerCase().replace(/^application\//, ''))
}

/** Is the audience this one alone: a text, or a list of one? A recipient of a token for several could bring it to the others. */
export function isForAlone({ claims }: ReadJwt, audience: string): boolean {
  const { aud } = claims
  return aud === audience || (Array.isArray(aud) && aud.length === 1 && aud[0] === audience)
}

/** The times of an assertion. Seconds since the epoch. */
export interface Lifetime {
  readonly iat: number | undefined
  readonly exp: number
}

/**
 * When an assertion was issued, and when it ends.
 *
 * @param now seconds since the epoch
 * @returns `undefined`: it is over, or does not count yet, or a time is malformed
 */
export function lifetimeOf({ claims }: ReadJwt, now: number): Lifetime | undefined {
  const { iat, nbf, exp } = claims
  if (!isTime(exp) || exp <= now) return undefined
  if (nbf !== undefined && !(isTime(nbf) && nbf <= now + SKEW)) return undefined
  if (iat === undefined) return { iat, exp }
  return isTime(iat) && iat <= now + SKEW && iat < exp ? { iat, exp } : undefined
}

/** A time may have a fraction (RFC 7519, section 2). */
function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}

/** The id of an assertion (RFC 7519, 4.1.7). @returns `undefined`: it has none that can be kept */
export function jtiOf({ claims: { jti } }: ReadJwt): string | undefined {
  return typeof jti === 'string' && jti !== '' && jti.length <= MAX_ID ? jti : undefined
}

/** In characters. */
const MAX_ID = 1_024
