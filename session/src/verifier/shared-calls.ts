import { elapsed, within } from '../lib/deadline.js'
import type { WaitUntil } from './poller.js'
import { PATIENCE } from './worker-client.js'

/** A failed call is not repeated for this time. Milliseconds. */
const PAUSE = 2_000

/** Sessions that are renewed at the same time, at most; beyond, calls are not shared. */
const MAX_ENTRIES = 10_000

interface Entry<Result> {
  readonly beganAt: number
  readonly work: Promise<Result>
  failedAt?: number
}

/**
 * One call for each session, however many of its requests come at the same time, and none for a
 * moment after a failure. The result of a successful call is not stored: an answer from before a
 * sign-out must not be given after it.
 */
export class SharedCalls<Result> {
  readonly #now: () => number
  readonly #entries = new Map<string, Entry<Result>>()

  constructor(now: () => number) {
    this.#now = now
  }

  /** @throws the error of the call */
  async share(
    session: string,
    call: () => Promise<Result>,
    waitUntil?: WaitUntil,
  ): Promise<Result> {
    // Gives up once on a call that never ends; then waits for the new call of another request.
    for (let round = 0; round < 2; round++) {
      const entry = this.#entryOf(session)
      if (!entry) break
      const settled = await within(
        PATIENCE,
        entry.work.then((result) => ({ result })),
      ).catch((error: unknown) => {
        if (entry.failedAt !== undefined) throw error
        // The call has not failed: a Worker throws since it belongs to a request that has ended.
        return undefined
      })
      if (settled) return settled.result
      if (this.#entries.get(session) === entry) this.#entries.delete(session)
    }
    return this.#begin(session, call, waitUntil)
  }

  get entries(): number {
    return this.#entries.size
  }

  #entryOf(session: string): Entry<Result> | undefined {
    const entry = this.#entries.get(session)
    return entry && !this.#isOver(entry) ? entry : undefined
  }

  async #begin(
    session: string,
    call: () => Promise<Result>,
    waitUntil?: WaitUntil,
  ): Promise<Result> {
    this.#sweep()
    const work = call()
    const entry: Entry<Result> = { beganAt: this.#now(), work }
    if (this.#entries.size < MAX_ENTRIES) this.#entries.set(session, entry)
    const isKept = () => this.#entries.get(session) === entry
    const settled = work.then(
      () => void (isKept() && this.#entries.delete(session)),
      () => {
        entry.failedAt = this.#now()
      },
    )
    // The call continues for the requests that share it when the client of this one disconnects.
    waitUntil?.(settled)
    return work
  }

  #isOver({ beganAt, failedAt }: Entry<Result>): boolean {
    const now = this.#now()
    if (failedAt !== undefined) return elapsed(failedAt, now) >= PAUSE
    return elapsed(beganAt, now) >= 2 * PATIENCE
  }

  /** Drops old entries, a few at a time and faster than new ones are added. */
  #sweep(): void {
    let looked = 0
    for (const [session, entry] of this.#entries) {
      if (++looked > 4) return
      if (this.#isOver(entry)) this.#entries.delete(session)
    }
  }
}
