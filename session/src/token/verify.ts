import { SeenTokens } from '../verifier/seen-tokens.js'
import { isFrom, parseClaims, type RefusalReason, type SessionClaims, standing } from './claims.js'
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
  /** How many verified tokens of up to 1 KB are remembered at least; never more than twice as many. */
  cacheSize?: number
}

/** Longer tokens are refused before anything is decoded. In characters. */
const MAX_TOKEN_LENGTH = 65_536

/**
 * Verifies session tokens with public keys alone (contract: exactly `EdDSA`, exactly
 * `session+jwt`, at most 60 s of skew, everything else refused). Verified tokens are remembered by
 * value, so a token that was seen before costs a map look-up; its times and issuer are checked on
 * every call. Never throws on bad input. `createVerifier` is this, and knows of ended sessions.
 *
 * @example
 * const verifier = new TokenVerifier({ keys: await importVerifyKeys(jwks) })
 * const result = await verifier.verify(token, 'https://example.com/auth')
 * if (result.state === 'live') console.log(result.session.user)
 */
export class TokenVerifier {
  readonly #keys: VerifyKeys
  readonly #now: () => number
  readonly #seen: SeenTokens<SeenSession>

  constructor({ keys, now = Date.now, cacheSize = 1_000 }: TokenVerifierOptions) {
    this.#keys = keys
    this.#now = now
    this.#seen = new SeenTokens(cacheSize)
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
    const seen = typeof token === 'string' ? this.#seen.get(token) : undefined
    if (!seen) return undefined
    const verdict = this.#judge(seen, issuer)
    // Another issuer's question says nothing about the token; an end does.
    if (verdict.state === 'refused' && verdict.reason === 'session-ended') this.#seen.delete(token)
    return verdict
  }

  async #verifyNew(token: string, issuer?: string): Promise<Verification> {
    const found = await verifyToken(token, this.#keys)
    if (typeof found === 'string') return { state: 'refused', reason: found }
    const verdict = this.#judge(found, issuer)
    if (verdict.state !== 'refused') this.#seen.set(token, found)
    return verdict
  }

  #judge({ claims, session }: SeenSession, issuer?: string): Verification {
    if (issuer !== undefined && !isFrom(claims, issuer))
      return { state: 'refused', reason: 'issuer' }
    const state = standing(claims, Math.floor(this.#now() / 1000))
    if (state === 'live' || state === 'expired') return { state, claims, session }
    return { state: 'refused', reason: state }
  }
}

interface SeenSession {
  readonly claims: SessionClaims
  readonly session: Session
}

/**
 * What a token says that one of the keys has signed, frozen, since every later reader of the token is
 * given the same; or why it is refused. Its times and its issuer are not looked at.
 */
export async function verifyToken(
  token: string,
  keys: VerifyKeys,
): Promise<SeenSession | RefusalReason> {
  const maxLength = MAX_TOKEN_LENGTH
  const content = await readSigned(token, { typ: SESSION_TYP, keys, maxLength })
  if (typeof content === 'string') return content
  const claims = parseClaims(content)
  if (!claims) return 'claims'
  const session = toSession(claims)
  Object.freeze(Object.freeze(claims).amr)
  Object.freeze(claims.session)
  return { claims, session }
}
