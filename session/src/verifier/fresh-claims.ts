import { elapsed, isWorkerd, within } from '../lib/deadline.js'
import type { Reading, SessionReading } from './reading.js'
import { SeenTokens } from './token-verifier.js'
import { PATIENCE, WorkerUnavailable } from './worker-client.js'

/** Renewals of stale tokens that are under way at the same time. The others wait their turn. */
export const MAX_AT_ONCE = 64
/** One that has not ended by then never will: in a Worker the request that began it was aborted. Milliseconds. */
const DEADLINE = 2 * PATIENCE
/** A read waits no longer for its turn. Milliseconds. */
const MAX_WAIT = DEADLINE
/** How often a request of a Worker looks if there is room. Milliseconds. */
const LOOK = 50
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
  /** The oldest first. */
  readonly #underWay = new Set<{ readonly begunAt: number }>()
  readonly #waiting = new Set<() => void>()
  /** Reads of the same token wait for the same renewal, and take one turn. */
  readonly #shared = new Map<string, Promise<Reading>>()

  /** @param size tokens of which the answer is kept, at least; never more than twice as many */
  constructor(now: () => number, size: number) {
    this.#now = now
    this.#entries = new SeenTokens(size)
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
    const turn = await this.#turn()
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
      this.#underWay.delete(turn)
      this.#next()
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

  /** @returns `undefined`: there was no room for too long */
  async #turn(): Promise<{ readonly begunAt: number } | undefined> {
    const asked = this.#now()
    while (!this.#hasRoom()) {
      if (elapsed(asked, this.#now()) >= MAX_WAIT) return undefined
      await this.#wait()
    }
    const turn = { begunAt: this.#now() }
    this.#underWay.add(turn)
    return turn
  }

  async #wait(): Promise<void> {
    if (isWorkerd) return new Promise((resolve) => setTimeout(resolve, LOOK))
    let go = () => {}
    const called = new Promise<true>((resolve) => {
      go = () => resolve(true)
    })
    this.#waiting.add(go)
    await within(MAX_WAIT, called)
    this.#waiting.delete(go)
  }

  #next(): void {
    const [go] = this.#waiting
    if (!go) return
    this.#waiting.delete(go)
    go()
  }

  #hasRoom(): boolean {
    for (const one of this.#underWay) {
      if (elapsed(one.begunAt, this.#now()) < DEADLINE) break
      this.#underWay.delete(one)
    }
    return this.#underWay.size < MAX_AT_ONCE
  }
}
