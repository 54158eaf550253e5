import { CLOCK_SKEW, isFrom, type RefusalReason, standing } from '../token/claims.js'
import type { VerifyKeys } from '../token/keys.js'
import { verifyToken } from '../token/verify.js'
import { type SessionReading, sessionReading } from './reading.js'
import { SeenTokens } from './seen-tokens.js'

export interface TokenVerifierOptions {
  readonly keys: VerifyKeys
  /** Milliseconds since the epoch; `Date.now` unless a test sets the clock. */
  readonly now?: () => number
  /**
   * The least number of verified tokens of up to 1 KB that are cached; never more than twice as
   * many.
   */
  readonly cacheSize?: number
}

/**
 * Verifies session tokens with given keys, for the service and every app. Verified tokens are
 * cached by value, so a token that was seen before costs a map look-up; its times and its issuer
 * are checked on every call.
 *
 * The result is genuine, of this issuer, and its session goes on. The token itself may have ended:
 * see `isLive`.
 */
export class TokenVerifier {
  readonly keys: VerifyKeys
  readonly #now: () => number
  readonly #seen: SeenTokens<SessionReading>

  constructor({ keys, now = Date.now, cacheSize = 1_000 }: TokenVerifierOptions) {
    this.keys = keys
    this.#now = now
    this.#seen = new SeenTokens(cacheSize)
  }

  /**
   * Never throws on bad input.
   *
   * @param issuer the `iss` that is expected; `https://example.com/*` for any path of an origin;
   *   omitted, any issuer with a known key is accepted
   */
  async verify(token: string, issuer?: string): Promise<SessionReading | RefusalReason> {
    const known = this.recall(token, issuer)
    if (known !== undefined) return known
    const found = await verifyToken(token, this.keys)
    if (typeof found === 'string') return found
    const reading = sessionReading(found)
    const now = this.#now()
    const refusal = refusalOf(reading, issuer, now)
    if (refusal !== undefined) return refusal
    // A token whose time has come stays one, so this is not asked again.
    if (found.notBefore > Math.floor(now / 1000) + CLOCK_SKEW) return 'not-yet-valid'
    this.#seen.set(token, reading)
    return reading
  }

  /**
   * The same without waiting, of a token that was verified before; otherwise `undefined`.
   *
   * @param now milliseconds since the epoch
   */
  recall(
    token: string,
    issuer?: string,
    now: number = this.#now(),
  ): SessionReading | RefusalReason | undefined {
    const seen = typeof token === 'string' ? this.#seen.get(token) : undefined
    if (seen === undefined) return undefined
    const refusal = refusalOf(seen, issuer, now)
    if (refusal === undefined) return seen
    // A refusal for another issuer leaves the token in the cache; an ended session removes it.
    if (refusal === 'session-ended') this.#seen.delete(token)
    return refusal
  }
}

function refusalOf(
  { claims }: SessionReading,
  issuer: string | undefined,
  now: number,
): RefusalReason | undefined {
  if (issuer !== undefined && !isFrom(claims, issuer)) return 'issuer'
  const state = standing(claims, Math.floor(now / 1000))
  return state === 'live' || state === 'expired' ? undefined : state
}
