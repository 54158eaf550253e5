import type { KeySource } from './key-source.js'
import { RevocationList, readRevocationFeed } from './revocations.js'
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
  /** Milliseconds. */
  readonly #interval: number
  #timer: unknown
  #next: number | undefined
  #askedAt = Number.NEGATIVE_INFINITY
  /** When the feed was last read, or its service found to be out of reach. */
  #answeredAt = Number.NEGATIVE_INFINITY

  constructor(options: FeedOptions) {
    this.#options = options
    this.list = new RevocationList(options.now)
    this.#interval = (Math.max(3, options.maxDelay) / 3) * 1000
  }

  /** Need nothing be asked just now? */
  isCurrent(now: number): boolean {
    return now - this.#askedAt < this.#interval && now - this.#answeredAt < this.#interval * 2
  }

  /**
   * Asks the feed where that is due: beside the request, unless what is known is too old. While the
   * service does not answer, what is known stands: a token is good for its own short life.
   */
  async catchUp(waitUntil?: (work: Promise<unknown>) => void): Promise<void> {
    this.#timer ??= everySoOften(() => void this.#refresh(), this.#interval)
    const now = this.#options.now()
    if (now - this.#askedAt < this.#interval) return
    const isTooOld = now - this.#answeredAt >= this.#interval * 2
    const refresh = this.#refresh()
    waitUntil?.(refresh)
    if (isTooOld) await Promise.race([refresh, after(MAX_WAIT)])
  }

  close(): void {
    clearInterval(this.#timer as never)
  }

  /** Never rejects. */
  async #refresh(): Promise<void> {
    const { route, keys, now, onError } = this.#options
    // Before the answer is there, so that parallel requests do not ask as well.
    this.#askedAt = now()
    try {
      const known = keys.usable(now()) ?? (await keys.load())
      const text = await fetchFeed(route, this.#next)
      const feed = await readRevocationFeed(text, known, route.issuer)
      if (!feed) throw new WorkerUnavailable('The revocation feed is not signed by a known key.')
      const { sids, users, next, window } = feed
      this.list.add({ sessions: sids.map((sid) => ({ sid, at: next })), users }, window)
      this.#next = next - OVERLAP
    } catch (error) {
      onError(error as Error)
    }
    this.#answeredAt = now()
  }
}

/** A timer that keeps no process alive. Where nothing runs between requests there is none. */
function everySoOften(work: () => void, interval: number): unknown {
  if (globalThis.navigator?.userAgent === 'Cloudflare-Workers') return null
  return withoutHold(setInterval(work, interval))
}

/** `undefined`, after that many milliseconds. */
export function after(milliseconds: number): Promise<undefined> {
  return new Promise((resolve) => {
    withoutHold(setTimeout(() => resolve(undefined), milliseconds))
  })
}

/** In Node a timer holds the process, unless it is told not to. */
function withoutHold<Timer>(timer: Timer): Timer {
  if (typeof timer === 'object' && timer !== null && 'unref' in timer) {
    ;(timer as { unref(): unknown }).unref()
  }
  return timer
}
