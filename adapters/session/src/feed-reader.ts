import type { KeySource } from './key-source.js'
import { readRevocationFeed, RevocationList } from './revocations.js'
import { fetchFeed, type WorkerRoute, WorkerUnavailable } from './worker-client.js'

/** A read waits this long for the feed where it must, and no longer. Milliseconds. */
const MAX_WAIT = 1_000
/** Looks overlap by as much as the clocks of two machines may differ. Seconds. */
const OVERLAP = 5

interface FeedOptions {
  readonly route: WorkerRoute
  readonly keys: KeySource
  /** Seconds. */
  readonly maxDelay: number
  readonly now: () => number
  readonly onError: (error: Error) => void
}

/**
 * Keeps a {@link RevocationList} up to date with the service's feed, three times in `maxDelay`, beside
 * the requests. In Node a timer asks; elsewhere, where nothing runs between requests, a request that
 * finds the list too old waits for it, a second at most.
 */
export class FeedReader {
  readonly list: RevocationList
  readonly #options: FeedOptions
  readonly #interval: number
  readonly #timer: { unref(): unknown } | undefined
  #next: number | undefined
  #askedAt = Number.NEGATIVE_INFINITY

  constructor(options: FeedOptions) {
    this.#options = options
    this.list = new RevocationList(options.now)
    this.#interval = (Math.max(3, options.maxDelay) / 3) * 1000
    this.#timer = everySoOften(() => void this.#refresh(), this.#interval)
  }

  /** Was the feed asked lately enough? While the service does not answer, what is known stands. */
  get isCurrent(): boolean {
    return this.#options.now() - this.#askedAt < this.#interval
  }

  /** Asks the feed where it was not asked lately. Never rejects. */
  async catchUp(): Promise<void> {
    if (!this.isCurrent) await Promise.race([this.#refresh(), after(MAX_WAIT)])
  }

  close(): void {
    clearInterval(this.#timer as never)
  }

  async #refresh(): Promise<void> {
    const { route, keys, now, onError } = this.#options
    // Before the answer is there, so that parallel requests do not ask as well.
    this.#askedAt = now()
    try {
      const known = keys.current ?? (await keys.load())
      const text = await fetchFeed(route, this.#next)
      const feed = await readRevocationFeed(text, known, route.issuer)
      if (!feed) throw new WorkerUnavailable('The revocation feed is not signed by a known key.')
      this.list.add(feed, feed.window)
      this.#next = feed.next - OVERLAP
    } catch (error) {
      onError(error as Error)
    }
  }
}

/** A timer that keeps no process alive; none where nothing may run between requests. */
function everySoOften(work: () => void, interval: number): { unref(): unknown } | undefined {
  if (globalThis.navigator?.userAgent === 'Cloudflare-Workers') return undefined
  const timer: unknown = setInterval(work, interval)
  const isNode = typeof timer === 'object' && timer !== null && 'unref' in timer
  if (isNode) (timer as { unref(): unknown }).unref()
  return isNode ? (timer as { unref(): unknown }) : undefined
}

function after(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const timer: unknown = setTimeout(resolve, milliseconds)
    if (typeof timer === 'object' && timer !== null && 'unref' in timer) {
      ;(timer as { unref(): unknown }).unref()
    }
  })
}
