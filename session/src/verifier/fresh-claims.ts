import { elapsed, isWorkerd } from '../lib/deadline.js'
import type { Reading, SessionReading } from './reading.js'
import { SeenTokens } from './session-token-verifier.js'
import { Turns } from './turns.js'
import { WorkerUnavailable } from './worker-client.js'

/** A renewal that brought no other token is tried again after this time. Milliseconds. */
const PAUSE = 2_000

interface Entry {
  readonly askedAt: number
  /** The session with its new cookie. Absent: the service gave no other token. */
  readonly reading?: SessionReading
}

/**
 * Renewals of tokens that have not ended, but were issued before the claims of their user or session were refreshed. A read
 * waits for the new token. If there is none to be had, the old one counts until its own end.
 */
export class FreshClaims {
  readonly #now: () => number
  readonly #entries: SeenTokens<Entry>
  readonly #turns: Turns
  /** Reads of the same token wait for the same renewal, and take one turn. */
  readonly #shared = new Map<string, Promise<Reading>>()

  /** @param size tokens of which the answer is kept, at least; never more than twice as many */
  constructor(now: () => number, size: number) {
    this.#now = now
    this.#entries = new SeenTokens(size)
    this.#turns = new Turns(now)
  }

  /**
   * @param token a stale one, and its reading
   * @param isGood may the token that an earlier renewal has brought still be used?
   * @param renew one call for each session, which its requests share
   */
  async read(
    token: string,
    reading: SessionReading,
    isGood: (renewed: SessionReading) => boolean,
    renew: () => Promise<Reading>,
  ): Promise<Reading> {
    const known = this.#known(token, isGood)
    if (known) return known.reading ?? reading
    const begin = () => this.#inTurn(token, reading, isGood, renew)
    // In a Worker no request may wait for another one, which may be aborted.
    if (isWorkerd) return begin()
    const work = this.#shared.get(token) ?? begin()
    this.#shared.set(token, work)
    try {
      return await work
    } finally {
      this.#shared.delete(token)
    }
  }

  async #inTurn(
    ...[token, reading, isGood, renew]: Parameters<FreshClaims['read']>
  ): Promise<Reading> {
    const turn = await this.#turns.take()
    if (!turn) return reading
    try {
      // Another request may have had its turn meanwhile.
      const answered = this.#known(token, isGood)
      if (answered) return answered.reading ?? reading
      const renewed = await renew()
      this.#keep(token, reading, renewed)
      return renewed
    } catch (error) {
      if (!(error instanceof WorkerUnavailable)) throw error
      return reading
    } finally {
      this.#turns.end(turn)
    }
  }

  #known(token: string, isGood: (renewed: SessionReading) => boolean): Entry | undefined {
    const entry = this.#entries.get(token)
    if (!entry) return undefined
    if (entry.reading) return isGood(entry.reading) ? entry : undefined
    return elapsed(entry.askedAt, this.#now()) < PAUSE ? entry : undefined
  }

  /** A session that is over is asked about again: its cookie goes with the answer. */
  #keep(token: string, { claims }: SessionReading, renewed: Reading): void {
    if (renewed.claims === null) return
    const isNewer = renewed.claims.iat > claims.iat
    const newer = isNewer ? { reading: renewed as SessionReading } : {}
    this.#entries.set(token, { askedAt: this.#now(), ...newer })
  }
}
