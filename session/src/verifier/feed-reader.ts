import { encode } from 'jose/base64url'
import { elapsed } from '../lib/deadline.js'
import { CLOCK_SKEW, MAX_TOKEN_LIFE } from '../token/claims.js'
import { FirstQuestions } from './first-questions.js'
import type { KeySource } from './key-source.js'
import { Poller, type WaitUntil } from './poller.js'
import {
  FEED_NAME_LENGTH,
  MAX_FEED_NAMES,
  type RevocationFeed,
  RevocationList,
  readRevocationFeed,
} from './revocations.js'
import { inQuestions, type Named, questionOf, SessionsInUse } from './sessions-in-use.js'
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
/**
 * The most pages of one look; the next look goes on from there. A page has a quarter of a megabyte.
 */
const MAX_PAGES = 64
/** The most characters of one look: a page may be as long as sixteen others. */
const MAX_LENGTH = 16 * 1024 * 1024

/**
 * A longer feed, in pages, is not read if the service answers questions about sessions instead: at the
 * start, at a later look, and to go back to reading it. A page tells how much time it covers.
 */
const LONG = { start: 4, later: 1, back: 2 }
/** However little time the first page covers: 8 MiB. */
const MAX_LONG = 32
/** Why the keys of an app and of its service may differ. */
const OTHER_KEY = 'compare the AUTH_SECRET or AUTH_PUBLIC_KEYS here with what the service has'
/** How often it is checked whether the feed is short again. Milliseconds. */
const LOOK_BACK = 5 * 60_000
/** How many questions of a look are under way at the same time. */
const AT_ONCE = 6

/** The contents of all pages that were read so far. Times are seconds. */
interface Progress {
  /** The fetch asked for endings from this time on. */
  readonly asked: number
  /** The `since` of the next page; `undefined`: from the beginning. */
  readonly since: number | undefined
  readonly next: number
  readonly window: number
  readonly pages: number
}

interface FeedOptions {
  /** One that cannot ask about sessions reads the whole feed. */
  readonly client: Pick<WorkerClient, 'fetchFeed' | 'issuer'> &
    Partial<Pick<WorkerClient, 'fetchRevocationsOf'>>
  readonly keys: KeySource
  /** Seconds. */
  readonly maxDelay: number
  readonly now: () => number
  readonly onError: (error: unknown) => void
}

/** Ended sessions then count here to the end of their tokens. */
const SILENCE =
  'The revocation feed fails for longer than revocation.maxDelay: a session that ended elsewhere counts until its token ends.'
/** How often that is said. Milliseconds. */
const SAY_AGAIN = 60_000

/**
 * Keeps a {@link RevocationList} up to date with the service's feed, beside the requests. In Node a
 * timer fetches it; elsewhere, where nothing runs between requests, a request that finds the list
 * too old waits for it. While the service does not answer, the list stays as it is: a token is good
 * for its own short life.
 *
 * A long feed is not read: the service is asked about the sessions that are in use here, and about any
 * other before it is answered.
 */
export class FeedReader {
  readonly list: RevocationList
  readonly #options: FeedOptions
  readonly #poller: Poller
  /** Milliseconds. */
  readonly #interval: number
  /** The list is complete up to this time, by the clock of the service. Seconds. */
  #next: number | undefined
  /** The number of seconds before `#next` in which the list has all endings. */
  #covered = 0
  /** The place of a look that stopped before the last page: a feed may be too long for one look. */
  #unfinished: Progress | undefined
  #maxLife = MAX_TOKEN_LIFE
  /** `undefined`: the whole feed is known. */
  #inUse: SessionsInUse | undefined
  readonly #questions: FirstQuestions
  /** When the first of the last looks failed, and when that was said. Milliseconds. */
  #failingSince: number | undefined
  #saidAt = Number.NEGATIVE_INFINITY
  /** When it is looked whether the feed is short; `undefined` before it was found to be long. Milliseconds. */
  #lookBackAt: number | undefined

  constructor(options: FeedOptions) {
    const { now, maxDelay, client } = options
    this.#options = options
    if (client.fetchRevocationsOf) this.#inUse = new SessionsInUse()
    this.list = new RevocationList(now)
    const limit = (maxDelay - SERVICE_DELAY) * 1000
    // Twice as often as needed, so that one fetch may fail.
    this.#interval = limit / 2
    this.#poller = new Poller({
      now,
      look: () => this.#look(),
      limit,
      interval: this.#interval,
      patience: Math.min(PATIENCE, limit),
    })
    this.#questions = new FirstQuestions({
      ask: (sessions) => this.#ask(sessions, MIN_TIMEOUT),
      now,
      onError: options.onError,
    })
  }

  /**
   * How long a token counts at most, in seconds: as long as the feed lists endings. A token that
   * names a later end, signed while the service allowed that, has to be renewed then.
   */
  get maxLife(): number {
    return this.#maxLife
  }

  /** Has the last look failed? */
  get isFailing(): boolean {
    return this.#failingSince !== undefined
  }

  /** True while no fetch is due. */
  isCurrent(now: number): boolean {
    return this.#poller.isCurrent(now)
  }

  /**
   * Fetches the feed where that is due. @returns a promise that the request has to wait for, if any
   */
  refreshIfDue(now: number, waitUntil?: WaitUntil): Promise<unknown> | undefined {
    return this.#poller.refreshIfDue(now, MAX_WAIT, waitUntil)
  }

  /**
   * Does this session count only after a question to the service? Not if the whole feed is read, if
   * the session is in use, or if a moment ago its token was signed or all endings were known: it is in
   * use from now on.
   *
   * @param life a session, or a grant by its handle as `sid`; `iat` of the token
   * @param now milliseconds
   */
  mustAsk(life: Named & { readonly iat: number }, now: number): boolean {
    const inUse = this.#inUse
    if (inUse === undefined || inUse.has(life, now)) return false
    const since = Math.max(life.iat, this.#next ?? 0)
    // The next look asks about it, or the one after that, if a message is lost.
    if (now / 1000 - since > SERVICE_DELAY) return true
    inUse.add(life, now)
    return false
  }

  /** Waits until it is known whether a session has ended. @throws {WorkerUnavailable} */
  async askAbout(life: Named): Promise<void> {
    await this.#questions.ask(life)
    this.#inUse?.add(life, this.#options.now())
  }

  close(): void {
    this.#poller.close()
  }

  async #look(): Promise<number> {
    const { now } = this.#options
    const asked = await this.#tried(async () => {
      if (this.#inUse && this.#lookBackAt !== undefined) await this.#askAboutAll(this.#inUse)
    })
    const read = await this.#tried(async () => {
      if (!this.#inUse || now() >= (this.#lookBackAt ?? 0)) await this.#readPages()
    })
    if (asked && read) this.#failingSince = undefined
    else this.#sayIfSilent(now())
    return this.#interval
  }

  async #tried(look: () => Promise<void>): Promise<boolean> {
    try {
      await look()
      return true
    } catch (error) {
      this.#options.onError(error)
      return false
    }
  }

  #sayIfSilent(now: number): void {
    const { maxDelay, onError } = this.#options
    this.#failingSince ??= now
    if (elapsed(this.#failingSince, now) < maxDelay * 1000) return
    if (elapsed(this.#saidAt, now) < SAY_AGAIN) return
    this.#saidAt = now
    onError(Object.assign(new WorkerUnavailable(SILENCE), { code: 'feed-unheard' }))
  }

  async #askAboutAll(inUse: SessionsInUse): Promise<void> {
    const began = this.#options.now()
    const waiting = inQuestions(inUse.since(began - this.#maxLife * 1000))
    if (waiting.length === 0) return
    const timeout = this.#timeout
    const windows: number[] = []
    const askSome = async () => {
      for (let sessions = waiting.pop(); sessions; sessions = waiting.pop()) {
        const left = timeout - elapsed(began, this.#options.now())
        if (left <= 0) throw new WorkerUnavailable('A look at the sessions in use takes too long.')
        windows.push(await this.#ask(sessions, left))
      }
    }
    const results = await Promise.allSettled(Array.from({ length: AT_ONCE }, askSome))
    for (const result of results) {
      if (result.status === 'rejected') throw result.reason
    }
    this.#maxLife = Math.min(...windows)
  }

  /**
   * Learns which sessions have ended. @returns how long a token counts, in seconds
   *
   * @throws {WorkerUnavailable}
   */
  async #ask(sessions: readonly Named[], timeout: number): Promise<number> {
    const { client } = this.#options
    const of = questionOf(sessions, randomName())
    const text = (await client.fetchRevocationsOf?.(of, timeout)) ?? ''
    const feed = await this.#read(text, of)
    this.#hear(feed)
    for (const sid of feed.sids) this.#inUse?.delete(sid)
    this.#maxLife = Math.min(this.#maxLife, feed.window)
    return feed.window
  }

  /** The look gives up before the next one is due. */
  get #timeout(): number {
    return Math.max(MIN_TIMEOUT, this.#interval * 0.75)
  }

  /** Reads to the last page, and only then counts the feed as read. Endings count as they come. */
  async #readPages(): Promise<void> {
    const { client, now } = this.#options
    const began = now()
    const timeout = this.#timeout
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
      if (this.#mayAsk(page) && this.#isLong(progress, page)) {
        this.#askFromNowOn(page)
        return
      }
      // The page's isolate knows all endings up to `next`, and only some later ones.
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
      pages: 0,
    }
  }

  /** Does the service answer questions about sessions? Earlier versions do not. */
  #mayAsk({ names = 0 }: RevocationFeed): boolean {
    return names >= MAX_FEED_NAMES && this.#options.client.fetchRevocationsOf !== undefined
  }

  /** Is there more to read than an app should? */
  #isLong({ asked, pages }: Progress, feed: RevocationFeed): boolean {
    if (pages > 1) return pages >= MAX_LONG
    const { more, window } = feed
    const next = heardTo(feed)
    const begin = Math.max(asked, next - window - CLOCK_SKEW)
    const first = this.#lookBackAt === undefined ? LONG.start : LONG.back
    const most = this.#inUse ? first : LONG.later
    return more !== undefined && next - begin > most * (more - begin)
  }

  #askFromNowOn({ window }: RevocationFeed): void {
    this.#unfinished = undefined
    this.#inUse ??= new SessionsInUse()
    this.#maxLife = Math.min(this.#maxLife, window)
    this.#lookBackAt = this.#options.now() + LOOK_BACK
  }

  async #read(text: string, of?: string): Promise<RevocationFeed> {
    const { client, keys, now } = this.#options
    if (!keys.usable(now())) await keys.refreshIfDue(now())
    const read = () => readRevocationFeed(text, keys.usable(now()) ?? new Map(), of)
    let feed = await read()
    // An earlier version answers with the whole feed: then that is read, whatever its length.
    if (feed === 'header' && of !== undefined) this.#lookBackAt = 0
    if (feed === 'unknown-key' && (await keys.lookFor(now()))) feed = await read()
    if (typeof feed === 'string') {
      const hint = feed === 'unknown-key' ? `: ${OTHER_KEY}` : ''
      throw refused(`it is not a feed of this service (${feed})${hint}`)
    }
    if (feed.iss !== client.issuer) throw refused('it is the feed of another issuer')
    return feed
  }

  /**
   * The sessions in a page are over, however old it is. Another check decides whether the page is
   * complete.
   */
  #learn(page: RevocationFeed, progress: Progress): Progress {
    const { since, next, more, window } = page
    this.#hear(page)
    const asked = progress.since ?? 0
    // An attacker in between may have asked for less than we did.
    if (since > Math.max(asked, next - window - CLOCK_SKEW))
      throw refused('a part of it is missing')
    if (more !== undefined && more <= asked) throw refused('it does not go on')
    return {
      asked: progress.asked,
      since: more,
      // Isolates may differ: all of them know the endings up to the earliest time.
      next: Math.min(progress.next, next),
      window: Math.min(progress.window, window),
      pages: progress.pages + 1,
    }
  }

  /** Every session that the feed names has ended. @throws {WorkerUnavailable} if the feed is old */
  #hear(feed: RevocationFeed): void {
    const { now, maxDelay } = this.#options
    const { sids, window } = feed
    const next = heardTo(feed)
    const time = Math.floor(now() / 1000)
    this.list.add({ ...feed, sessions: sids.map((sid) => ({ sid, at: time })) }, window)
    if (next < time - maxDelay - CLOCK_SKEW) {
      throw refused(
        'it is old, and says nothing about today: a cache kept it, or this clock is ahead',
      )
    }
    if (next > time + CLOCK_SKEW) throw refused('it comes from the future: the clocks differ')
  }

  #finish({ asked, next, window }: Progress): void {
    if (asked < next - window - CLOCK_SKEW) this.#covered = window
    else if (window > this.#covered) {
      // Tokens count for longer from now on, and so do endings that were not asked for.
      this.#next = undefined
      return
    }
    this.#maxLife = window
    this.#inUse = undefined
    this.#lookBackAt = undefined
    // An isolate with fewer endings than another one must not reverse any.
    this.#next = Math.max(this.#next ?? 0, next)
  }
}

/** The time of a feed. One of several objects may be out of reach, and holds up its own endings alone. */
function heardTo({ next, heard = next }: RevocationFeed): number {
  return Math.max(next, heard)
}

function randomName(): string {
  return encode(crypto.getRandomValues(new Uint8Array((FEED_NAME_LENGTH * 3) / 4)))
}

function refused(reason: string): WorkerUnavailable {
  return new WorkerUnavailable(`The revocation feed was refused: ${reason}.`)
}
