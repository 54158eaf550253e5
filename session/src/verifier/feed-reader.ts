import { elapsed } from '../internal/deadline.js'
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
/** A look ends after so many pages, and goes on with the next one. A page has a quarter of a megabyte. */
const MAX_PAGES = 64
/** A look ends after so many characters: a page may be as long as sixteen others. */
const MAX_LENGTH = 16 * 1024 * 1024

/** What the pages that were read so far say together. Times are seconds. */
interface Progress {
  /** What ended from this time on was asked for first. */
  readonly asked: number
  /** The `since` of the next page; `undefined`: from the beginning. */
  readonly since: number | undefined
  readonly next: number
  readonly window: number
}

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
  /** Where a look stopped before the last page: a feed may be longer than what one look reads. */
  #unfinished: Progress | undefined
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
      await this.#readPages()
    } catch (error) {
      this.#options.onError(error)
    }
    return this.#interval
  }

  /** Reads to the last page, and only then counts the feed as read. Endings count as they come. */
  async #readPages(): Promise<void> {
    const { client, now } = this.#options
    const began = now()
    // The look gives up before the next one is due.
    const timeout = Math.max(MIN_TIMEOUT, this.#interval * 0.75)
    let progress = this.#unfinished ?? this.#beginning()
    let length = 0
    for (let pages = 0; pages < MAX_PAGES && length < MAX_LENGTH; pages++) {
      const left = timeout - elapsed(began, now())
      if (left <= 0) break
      const text = await client.fetchFeed(progress.since, left)
      length += text.length
      const page = await this.#read(text)
      const { more } = page
      progress = this.#learn(page, progress)
      if (more === undefined) {
        this.#unfinished = undefined
        this.#finish(progress)
        return
      }
      // Up to `next` the page's isolate knows all; what it knows beyond is not all of it.
      this.#unfinished = { ...progress, since: Math.min(more, progress.next) }
    }
    throw new WorkerUnavailable('The revocation feed is long: the next look goes on with it.')
  }

  #beginning(): Progress {
    const since = this.#next === undefined ? undefined : Math.max(0, this.#next - OVERLAP)
    return {
      asked: since ?? 0,
      since,
      next: Number.POSITIVE_INFINITY,
      window: Number.POSITIVE_INFINITY,
    }
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
   * The sessions in a page are over, however old it is. Whether it says all that was asked for is
   * checked apart.
   */
  #learn(page: RevocationFeed, progress: Progress): Progress {
    const { now, maxDelay } = this.#options
    const { sids, since, next, more, window } = page
    const time = Math.floor(now() / 1000)
    this.list.add({ ...page, sessions: sids.map((sid) => ({ sid, at: time })) }, window)
    if (next < time - maxDelay - CLOCK_SKEW) throw refused('it is old, and says nothing of today')
    if (next > time + CLOCK_SKEW) throw refused('it comes from the future: the clocks differ')
    const asked = progress.since ?? 0
    // An attacker in between may have asked for less than we did.
    if (since > Math.max(asked, next - window - CLOCK_SKEW))
      throw refused('a part of it is missing')
    if (more !== undefined && more <= asked) throw refused('it does not go on')
    return {
      asked: progress.asked,
      since: more,
      // Isolates may differ: what the least of them says is all that all of them say.
      next: Math.min(progress.next, next),
      window: Math.min(progress.window, window),
    }
  }

  #finish({ asked, next, window }: Progress): void {
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
