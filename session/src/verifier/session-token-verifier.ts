import { BoundedCache } from '../lib/bounded-cache.js'
import {
  CLOCK_SKEW,
  isFrom,
  type RefusalReason,
  type SessionClaims,
  standing,
} from '../token/claims.js'
import type { VerifyKeys } from '../token/keys.js'
import { signedToken, type VerifiedToken, verifyToken } from '../token/verify.js'
import { type SessionReading, sessionReading } from './reading.js'

export interface SessionTokenVerifierOptions {
  readonly keys: VerifyKeys
  /** Milliseconds since the epoch; `Date.now` unless a test sets the clock. */
  readonly now?: () => number
  /**
   * The least number of verified tokens of up to 1 KB in the cache; it never has more than twice as
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
export class SessionTokenVerifier {
  readonly keys: VerifyKeys
  readonly #now: () => number
  readonly #seen: SeenTokens<SessionReading>

  constructor({ keys, now = Date.now, cacheSize = 1_000 }: SessionTokenVerifierOptions) {
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
    return (
      this.recall(token, issuer) ?? this.#keep(token, await verifyToken(token, this.keys), issuer)
    )
  }

  /**
   * Keeps a token that the caller has signed just now, with one of the keys: no signature is verified at its first
   * read. Its times and its issuer are checked as those of any other.
   */
  signed(token: string, claims: SessionClaims): void {
    this.#keep(token, signedToken(claims))
  }

  #keep(
    token: string,
    found: VerifiedToken | RefusalReason,
    issuer?: string,
  ): SessionReading | RefusalReason {
    if (typeof found === 'string') return found
    const reading = sessionReading(found)
    const now = this.#now()
    const refusal = refusalOf(reading, issuer, now)
    if (refusal !== undefined) return refusal
    // Time only moves forward, so this is not checked again.
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

/** Longer tokens are verified, but not cached. */
const MAX_LENGTH = 4_096
/** A token up to this length counts as one, a longer one as several: the bound is one in bytes. */
const UNIT = 1_024

/** Enough of a signature to tell tokens apart: 192 bits. */
const TAIL = 32

/**
 * The results of verified tokens. They are found by the end of their signature and then compared
 * whole: hashing a token of many hundred characters takes longer than all other steps of reading a
 * session. Two genuine tokens with the same end do not exist; a forged one with the end of a
 * genuine one is unequal to it.
 */
export class SeenTokens<Value> {
  readonly #entries: BoundedCache<{ readonly token: string; readonly value: Value }>

  /**
   * @param size the least number of tokens of up to 1,024 characters that are kept; never more than
   * twice as many
   */
  constructor(size: number) {
    this.#entries = new BoundedCache(size, ({ token }) => Math.max(1, token.length / UNIT))
  }

  get(token: string): Value | undefined {
    const entry = this.#entries.get(token.slice(-TAIL))
    return entry !== undefined && entry.token === token ? entry.value : undefined
  }

  set(token: string, value: Value): void {
    if (token.length > MAX_LENGTH) return
    const own = ownCopy(token)
    this.#entries.set(own.slice(-TAIL), { token: own, value })
  }

  delete(token: string): void {
    if (this.get(token) !== undefined) this.#entries.delete(token.slice(-TAIL))
  }
}

/**
 * A copy of the token: a slice of a Cookie header may keep the whole header in memory, and an
 * attacker would choose the cache's size in bytes. Tokens are ASCII.
 */
function ownCopy(token: string): string {
  return DECODER.decode(ENCODER.encode(token))
}

const ENCODER = new TextEncoder()
const DECODER = new TextDecoder()
