import { CLOCK_SKEW, MAX_TOKEN_LIFE } from '../token/claims.js'
import type { KeySource } from './key-source.js'
import { Refresher, type WaitUntil } from './refresher.js'
import { type RevocationFeed, RevocationList, readRevocationFeed } from './revocations.js'
import { PATIENCE, type WorkerClient, WorkerUnavailable } from './worker-client.js'

/**
 * The delay of the service itself, in seconds: an isolate asks the ledger every four seconds and
 * waits a second for it, and caches may store its answer for two.
 */
const SERVICE_DELAY = 7
/** The shortest delay that can be promised. Seconds. */
export const MIN_DELAY = 10
/** The longest time that a read waits for the feed. Milliseconds. */
const MAX_WAIT = 2_000
/** The least time that a distant service has for its answer. */
const MIN_TIMEOUT = 2_000
/** Fetches overlap by as much as the clocks of two machines may differ. Seconds. */
const OVERLAP = 60

interface FeedOptions {
  readonly client: Pick<WorkerClient, 'fetchFeed' | 'issuer'>
  readonly keys: KeySource
  /** Seconds. */
  readonly maxDelay: number
  readonly now: () => number
  readonly onError: (error: unknown) => void
}

/**
 * Keeps a {@link RevocationList} up to date with the service's feed, beside the requests. In Node a
 * timer fetches it; elsewhere, where nothing runs between requests, a request that finds the list
 * too old waits for it. While the service does not answer, the list stays as it is: a token is good
 * for its own short life.
 */
export class FeedReader {
  readonly list: RevocationList
  readonly #options: FeedOptions
  readonly #refresher: Refresher
  /** Milliseconds. */
  readonly #interval: number
  /** The list is complete up to this time, by the clock of the service. Seconds. */
  #next: number | undefined
  /** The list has all endings of so many seconds before `#next`. */
  #covered = 0
  #maxLife = MAX_TOKEN_LIFE

  constructor(options: FeedOptions) {
    const { now, maxDelay } = options
    this.#options = options
    this.list = new RevocationList(now)
    const limit = (maxDelay - SERVICE_DELAY) * 1000
    // Twice as often as needed, so that one fetch may fail.
    this.#interval = limit / 2
    this.#refresher = new Refresher({
      now,
      look: () => this.#look(),
      limit,
      interval: this.#interval,
      patience: Math.min(PATIENCE, limit),
    })
  }

  /**
   * How long a token counts at most, in seconds: as long as the feed tells of endings. A token that
   * names a later end, signed while the service allowed that, has to be renewed then.
   */
  get maxLife(): number {
    return this.#maxLife
  }

  /** Is no fetch due now? */
  isCalm(now: number): boolean {
    return this.#refresher.isCalm(now)
  }

  /**
   * Fetches the feed where that is due. @returns a promise that the request has to wait for, if any
   */
  catchUp(now: number, waitUntil?: WaitUntil): Promise<unknown> | undefined {
    return this.#refresher.catchUp(now, MAX_WAIT, waitUntil)
  }

  close(): void {
    this.#refresher.close()
  }

  async #look(): Promise<number> {
    try {
      const since = this.#next === undefined ? undefined : Math.max(0, this.#next - OVERLAP)
      // The fetch gives up before the next one is due.
      const timeout = Math.max(MIN_TIMEOUT, this.#interval * 0.75)
      const feed = await this.#read(await this.#options.client.fetchFeed(since, timeout))
      this.#learn(feed, since ?? 0)
    } catch (error) {
      this.#options.onError(error)
    }
    return this.#interval
  }

  async #read(text: string): Promise<RevocationFeed> {
    const { client, keys, now } = this.#options
    if (!keys.usable(now())) await keys.catchUp(now())
    let feed = await readRevocationFeed(text, keys.usable(now()) ?? new Map())
    if (feed === 'unknown-key' && (await keys.lookFor(now()))) {
      feed = await readRevocationFeed(text, keys.usable(now()) ?? new Map())
    }
    if (typeof feed === 'string') throw refused(`it is not a feed of this service (${feed})`)
    if (feed.iss !== client.issuer) throw refused('it is the feed of another issuer')
    return feed
  }

  /**
   * The sessions in a feed are over, however old it is. Whether it is complete is checked apart.
   */
  #learn({ sids, users, since, next, window }: RevocationFeed, asked: number): void {
    const { now, maxDelay } = this.#options
    const time = Math.floor(now() / 1000)
    this.list.add({ sessions: sids.map((sid) => ({ sid, at: time })), users }, window)
    if (next < time - maxDelay - CLOCK_SKEW) throw refused('it is old, and says nothing of today')
    if (next > time + CLOCK_SKEW) throw refused('it comes from the future: the clocks differ')
    // An attacker in between may have asked for less than we did.
    if (since > Math.max(asked, next - window - CLOCK_SKEW))
      throw refused('a part of it is missing')
    if (asked < next - window - CLOCK_SKEW) this.#covered = window
    else if (window > this.#covered) {
      // Tokens count for longer from now on, and so do endings that were not asked for.
      this.#next = undefined
      return
    }
    this.#maxLife = window
    // An isolate with fewer endings than another one must not reverse any.
    this.#next = Math.max(this.#next ?? 0, next)
  }
}

function refused(reason: string): WorkerUnavailable {
  return new WorkerUnavailable(`The revocation feed was refused: ${reason}.`)
}
