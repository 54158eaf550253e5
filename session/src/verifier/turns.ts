import { elapsed, isWorkerd, within } from '../lib/deadline.js'
import { PATIENCE } from './worker-client.js'

/** Calls because of a refresh of claims that are under way at the same time. The others wait their turn. */
export const MAX_AT_ONCE = 64
/** One that has not ended by then never will: in a Worker the request that began it was aborted. Milliseconds. */
const DEADLINE = 2 * PATIENCE
/** A caller waits no longer for its turn. Milliseconds. */
const MAX_WAIT = DEADLINE
/** How often a request of a Worker looks if there is room. Milliseconds. */
const LOOK = 50

/** A place among the calls that are under way. */
interface Turn {
  readonly begunAt: number
}

/** The turns of a verifier to ask the service again. */
export class Turns {
  readonly #now: () => number
  /** The oldest first. */
  readonly #underWay = new Set<Turn>()
  readonly #waiting = new Set<() => void>()

  constructor(now: () => number) {
    this.#now = now
  }

  /** @returns `undefined`: there was no room for too long */
  async take(): Promise<Turn | undefined> {
    const asked = this.#now()
    while (!this.#hasRoom()) {
      if (elapsed(asked, this.#now()) >= MAX_WAIT) return undefined
      await this.#wait()
    }
    const turn = { begunAt: this.#now() }
    this.#underWay.add(turn)
    return turn
  }

  end(turn: Turn): void {
    this.#underWay.delete(turn)
    const [go] = this.#waiting
    if (!go) return
    this.#waiting.delete(go)
    go()
  }

  async #wait(): Promise<void> {
    // In a Worker no request may wait for another one, which may be aborted.
    if (isWorkerd) return new Promise((resolve) => setTimeout(resolve, LOOK))
    let go = () => {}
    const called = new Promise<true>((resolve) => {
      go = () => resolve(true)
    })
    this.#waiting.add(go)
    await within(MAX_WAIT, called)
    this.#waiting.delete(go)
  }

  #hasRoom(): boolean {
    for (const one of this.#underWay) {
      if (elapsed(one.begunAt, this.#now()) < DEADLINE) break
      this.#underWay.delete(one)
    }
    return this.#underWay.size < MAX_AT_ONCE
  }
}
