import type { Change } from '../../../stores/stored.js'
import type { AuditLog } from '../log/audit-log.js'
import type { Upkeep } from '../upkeep.js'
import { runWorks } from '../works.js'
import type { Lease } from './lease.js'

/** How often a process asks for the lease, and looks for messages: with their sending less than the five seconds until a first try. */
const POLL = 2_000
/** Between two parts of some work. */
const PAUSE = 50
/** While the store is out of reach. */
const MAX_PAUSE = 30_000
const MINUTE = 60_000

/** What the process with the lease works with. */
export interface Term {
  readonly log: AuditLog
  readonly upkeep: Upkeep
}

/** Does the regular work of a store while this process has the lease. */
export class Keeper {
  readonly #lease: Lease
  readonly #open: (fence: Change) => Term
  readonly #now: () => number
  #term: (Term & { readonly fence: Change }) | undefined
  #minute = 0
  #isStarted = false

  /** @param open begins a term @param now milliseconds since the epoch */
  constructor(lease: Lease, open: (fence: Change) => Term, now: () => number) {
    this.#lease = lease
    this.#open = open
    this.#now = now
  }

  /** The timer keeps no process alive. */
  start(): void {
    if (this.#isStarted) return
    this.#isStarted = true
    let faults = 0
    const run = async () => {
      let pause = POLL
      try {
        pause = await this.tick()
        faults = 0
      } catch {
        // Each request that needs the store reports that it is out of reach.
        faults++
        pause = Math.min(POLL * 2 ** faults, MAX_PAUSE)
      }
      wait(pause)
    }
    const wait = (pause: number) => {
      const timer: unknown = setTimeout(run, pause)
      ;(timer as { unref?(): void }).unref?.()
    }
    wait(0)
  }

  /** The next term begins with other settings. */
  restart(): void {
    this.#term = undefined
  }

  /**
   * Does what is due, if this process has the lease or gets it.
   *
   * @returns when to come again, in milliseconds
   * @throws {Error} the store is out of reach
   */
  async tick(): Promise<number> {
    const fence = await this.#lease.hold()
    if (!fence) {
      this.#term = undefined
      return POLL
    }
    const term = this.#term?.fence === fence ? this.#term : { ...this.#open(fence), fence }
    this.#term = term
    const { log, upkeep } = term
    const minute = Math.floor(this.#now() / MINUTE)
    const omitted = async () => {
      await log.recordOmitted()
      this.#minute = minute
      return undefined
    }
    const works = minute === this.#minute ? upkeep.works : [omitted, ...upkeep.works]
    const times = await runWorks(works, this.#now)
    return Math.min(Math.max(Math.min(...times) - this.#now(), PAUSE), POLL)
  }
}
