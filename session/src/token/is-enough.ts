import type { SessionClaims } from './claims.js'

/** What a page or a route demands of a session. */
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
  /** The session is bound to its browser's device. Default: it need not be. */
  readonly bound?: true | undefined
}

/** The strength of the sign-in. `amr` decides it; it is not a claim of a token. */
export type Acr = '1' | '2'

/**
 * Does a session with these valid claims meet the needs? The service and every app decide it here,
 * by the token alone. Invalid needs are never met.
 *
 * @param now milliseconds since the epoch
 */
export function isEnough(claims: Proven, now: number, needs: SessionNeeds): boolean {
  return lackOf(claims, now, needs) === undefined
}

/** The claims that needs are about. */
type Proven = Pick<SessionClaims, 'auth_time' | 'amr' | 'cnf'>

/** Which answer a session gets that does not meet the needs: the word of the JSON. */
export type SessionLack = 'FreshSignInRequired' | 'BoundSessionRequired'

/**
 * What a session with these valid claims lacks; `undefined`: it meets the needs. A session that is neither fresh
 * nor bound has to be fresh first, since a new proof may bind it too.
 *
 * @param now milliseconds since the epoch
 */
export function lackOf(
  claims: Proven,
  now: number,
  { maxAge, acr, bound }: SessionNeeds,
): SessionLack | undefined {
  if (maxAge !== undefined && !isFresh(claims, now, maxAge)) return 'FreshSignInRequired'
  if (acr !== undefined && !isAtLeast(acrOf(claims.amr), acr)) return 'FreshSignInRequired'
  if (bound === undefined || (bound === true && claims.cnf !== undefined)) return undefined
  return 'BoundSessionRequired'
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
