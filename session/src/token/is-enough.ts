import type { SessionClaims } from './claims.js'

/** The freshness and strength that a page or a route demands of a session. */
export interface SessionNeeds {
  /**
   * The user has proved their identity within this many seconds: a whole number, 0 or more.
   * Default: at any time.
   */
  readonly maxAge?: number | undefined
  /**
   * `'2'`: with two factors, or with a passkey that has verified the user. `'1'`: by any way.
   * Default `'1'`.
   */
  readonly acr?: Acr | undefined
}

/** The strength of the sign-in. `amr` decides it; it is not a claim of a token. */
export type Acr = '1' | '2'

/**
 * Does a session with these valid claims meet the needs? The service and every app decide it here,
 * by the token alone. Invalid needs are never met.
 *
 * @param now milliseconds since the epoch
 */
export function isEnough(
  claims: Pick<SessionClaims, 'auth_time' | 'amr'>,
  now: number,
  { maxAge, acr }: SessionNeeds,
): boolean {
  if (maxAge !== undefined && !isFresh(claims, now, maxAge)) return false
  return acr === undefined || isAtLeast(acrOf(claims.amr), acr)
}

/** Is a sign-in as strong as is asked? An app without types may ask for anything, and gets no for what is neither. */
export function isAtLeast(own: Acr, asked: Acr): boolean {
  return asked === '1' || (asked === '2' && own === '2')
}

/**
 * Is the sign-in at most so old? No clock skew is forgiven; a sign-in that the service's clock
 * puts in the future counts as of now (OpenID Connect Core, 3.1.2.1, `max_age`).
 *
 * @param now milliseconds since the epoch
 * @param maxAge seconds
 */
export function isFresh(
  { auth_time }: Pick<SessionClaims, 'auth_time'>,
  now: number,
  maxAge: number,
): boolean {
  return typeof maxAge === 'number' && Math.floor(now / 1000) - auth_time <= maxAge
}

/**
 * The strength of a sign-in, by the methods of RFC 8176. The first member of `amr` is the
 * provider's id, which an operator chooses, so that it never counts as a method: a provider with
 * the id `mfa` is one factor.
 */
export function acrOf(amr: SessionClaims['amr']): Acr {
  if (amr.includes('mfa', 1)) return '2'
  return amr[0] === 'passkey' && amr.includes('user', 1) ? '2' : '1'
}
