import { BoundedCache } from './bounded-cache.js'
import { parseClaims, type RefusalReason, type SessionClaims, standing } from './claims.js'
import type { VerifyKeys } from './keys.js'
import { type Session, toSession } from './session.js'
import { readSigned } from './signed.js'

/** The `typ` of a session token. No other token that Latchkey issues has it (RFC 8725, 3.11). */
export const SESSION_TYP = 'session+jwt'

/**
 * What a token is worth.
 * - `live`: signed by a known key, within its time.
 * - `expired`: genuine, but the token's time is over while the session's is not: to be renewed.
 * - `refused`: not a session; the reason is for the log.
 */
export type Verification =
  | { readonly state: 'live'; readonly claims: SessionClaims; readonly session: Session }
  | { readonly state: 'expired'; readonly claims: SessionClaims; readonly session: Session }
  | { readonly state: 'refused'; readonly reason: RefusalReason }

export interface TokenVerifierOptions {
  keys: VerifyKeys
  /** Milliseconds since the epoch; `Date.now` unless a test owns the clock. */
  now?: () => number
  /** How many verified tokens are remembered at least; never more than twice as many. */
  cacheSize?: number
}

/** Longer tokens are refused before anything is decoded. In characters. */
const MAX_TOKEN_LENGTH = 65_536
/** Longer tokens are verified, but not remembered, so that the cache has a bound in bytes. */
const MAX_CACHED_LENGTH = 4_096

/**
 * Verifies session tokens with public keys alone (contract: exactly `EdDSA`, exactly
 * `session+jwt`, at most 60 s of skew, everything else refused). Verified tokens are remembered by
 * value, so a token that was seen before costs a map look-up; its times and issuer are checked on
 * every call. Never throws on bad input.
 *
 * @example
 * const verifier = new TokenVerifier({ keys: await importVerifyKeys(jwks) })
 * const result = await verifier.verify(token, 'https://example.com/auth')
 * if (result.state === 'live') console.log(result.session.user)
 */
export class TokenVerifier {
  readonly #keys: VerifyKeys
  readonly #now: () => number
  readonly #seen: BoundedCache<{ claims: SessionClaims; session: Session }>

  constructor({ keys, now = Date.now, cacheSize = 1_000 }: TokenVerifierOptions) {
    this.#keys = keys
    this.#now = now
    this.#seen = new BoundedCache(cacheSize)
  }

  /**
   * @param issuer the `iss` that is expected; `https://example.com/*` for any path of an origin;
   *   omitted, any issuer with a known key is accepted
   */
  async verify(token: string, issuer?: string): Promise<Verification> {
    return this.recall(token, issuer) ?? (await this.#verifyNew(token, issuer))
  }

  /** The verdict on a token that was verified before, without waiting; otherwise `undefined`. */
  recall(token: string, issuer?: string): Verification | undefined {
    const seen = this.#seen.get(token)
    if (!seen) return undefined
    const verdict = this.#judge(seen.claims, seen.session, issuer)
    // Another issuer's question says nothing about the token; an end does.
    if (verdict.state === 'refused' && verdict.reason === 'session-ended') this.#seen.delete(token)
    return verdict
  }

  async #verifyNew(token: string, issuer?: string): Promise<Verification> {
    const claims = await readClaims(token, this.#keys)
    if (typeof claims === 'string') return { state: 'refused', reason: claims }
    const session = toSession(claims)
    // Every later reader of this token is given the same claims.
    Object.freeze(Object.freeze(claims).amr)
    Object.freeze(claims.session)
    const verdict = this.#judge(claims, session, issuer)
    if (verdict.state !== 'refused' && token.length <= MAX_CACHED_LENGTH) {
      this.#seen.set(ownCopy(token), { claims, session })
    }
    return verdict
  }

  #judge(claims: SessionClaims, session: Session, issuer?: string): Verification {
    if (issuer !== undefined && !isFrom(claims, issuer))
      return { state: 'refused', reason: 'issuer' }
    const state = standing(claims, Math.floor(this.#now() / 1000))
    if (state === 'live' || state === 'expired') return { state, claims, session }
    return { state: 'refused', reason: state }
  }
}

/** `https://example.com/*` is any path there: an app may not know where its service is mounted. */
function isFrom({ iss }: SessionClaims, issuer: string): boolean {
  return iss === issuer || (issuer.endsWith('/*') && iss.startsWith(issuer.slice(0, -1)))
}

async function readClaims(token: string, keys: VerifyKeys): Promise<SessionClaims | RefusalReason> {
  const maxLength = MAX_TOKEN_LENGTH
  const content = await readSigned(token, { typ: SESSION_TYP, keys, maxLength })
  return typeof content === 'string' ? content : (parseClaims(content) ?? 'claims')
}

/**
 * A token that was cut out of a Cookie header may keep the whole header in memory, and the cache's
 * bound in bytes would be the attacker's to choose. Tokens are ASCII.
 */
function ownCopy(token: string): string {
  return new TextDecoder().decode(new TextEncoder().encode(token))
}
