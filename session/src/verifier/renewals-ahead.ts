import { elapsed, isWorkerd } from '../lib/deadline.js'
import { isLive, type SessionClaims } from '../token/claims.js'
import type { WaitUntil } from './poller.js'
import type { Reading, SessionReading } from './reading.js'
import { SeenTokens } from './session-token-verifier.js'
import { PATIENCE } from './worker-client.js'

/** A renewal that brought no other token is tried again after this time. Milliseconds. */
const PAUSE = 15_000
/**
 * Renewals under way. Beyond this number a reader with an ended token waits, as it would without
 * renewals ahead.
 */
const MAX_UNDER_WAY = 100
/** One that has not ended by then never will: in a Worker the request that began it was aborted. Milliseconds. */
const DEADLINE = 2 * PATIENCE

interface Entry {
  readonly begunAt: number
  /** The session with its new cookie. */
  readonly reading?: SessionReading
}

/**
 * Renewals that are begun before they are needed, so that no request waits for one: a request in the
 * last part of a token's life is answered at once, and the next one of the same browser gets the
 * new cookie. The result of a renewal is kept for the very token that it was made from, as long as
 * the new one lasts, and is asked about like any token: an ended session is over here too.
 */
export class RenewalsAhead {
  readonly #now: () => number
  readonly #entries: SeenTokens<Entry>
  /** The oldest first. */
  readonly #underWay = new Set<{ readonly begunAt: number }>()

  /** @param size tokens for which a renewal is kept, at least; never more than twice as many */
  constructor(now: () => number, size: number) {
    this.#now = now
    this.#entries = new SeenTokens(size)
  }

  /**
   * The session with the token that a renewal of this one has brought, while that lasts.
   *
   * @param maxLife seconds for which a token counts at most
   */
  renewed(token: string, maxLife?: number): SessionReading | undefined {
    const reading = this.#entries.get(token)?.reading
    return reading && isLive(reading.claims, this.#now(), maxLife) ? reading : undefined
  }

  /**
   * Begins a renewal beside the request, one for each token. If the platform stops a request's work
   * after its answer, and nothing keeps this one alive, none is begun: another request that shared
   * it would wait in vain.
   *
   * @param renew rejects if the service does not answer: then the token lives on
   */
  begin(
    token: string,
    { claims }: SessionReading,
    renew: () => Promise<Reading>,
    waitUntil?: WaitUntil,
  ): void {
    if (isWorkerd && !waitUntil) return
    const begunAt = this.#now()
    const known = this.#entries.get(token)
    if (known && elapsed(known.begunAt, begunAt) < PAUSE) return
    if (!this.#hasRoom(begunAt)) return
    const entry: Entry = { begunAt }
    this.#entries.set(token, entry)
    this.#underWay.add(entry)
    const work = renew()
      .then(
        (reading) => {
          if (isNewer(reading, claims)) this.#entries.set(token, { begunAt, reading })
        },
        // The token lives on. A read after its end reports the failure.
        () => {},
      )
      .finally(() => {
        this.#underWay.delete(entry)
      })
    waitUntil?.(work)
  }

  #hasRoom(now: number): boolean {
    for (const one of this.#underWay) {
      if (elapsed(one.begunAt, now) < DEADLINE) break
      this.#underWay.delete(one)
    }
    return this.#underWay.size < MAX_UNDER_WAY
  }
}

/**
 * If it was signed no later than the browser's token, the next read asks the service. Its end says
 * less, since the service may allow less now than when it signed the old one.
 */
function isNewer(reading: Reading, { iat }: SessionClaims): reading is SessionReading {
  return reading.claims !== null && reading.claims.iat > iat
}
