import type { SessionClaims } from '@latchkey/session'
import { answerWithin, within } from '@latchkey/session/internal'
import { CLOCK_SKEW, type UserCutoff } from '@latchkey/session/issue'
import { erasedName, erasedPid } from '../lib/pseudonyms.js'
import type { Logger } from '../types.js'
import type { ListedStale, RevocationLines } from './ledger/types.js'
import type { RevocationSource } from './ports.js'
import { withRetries } from './retry.js'
import { type PageSize, type RevocationPage, RevocationTimeline } from './revocation-timeline.js'

/** How often the ledger is asked: with the wait for its answer, an end is known in five seconds. */
const MAX_DELAY = 4_000
/** No read waits longer for the ledger. Milliseconds. */
const MAX_WAIT = 1_000
/** A look without an answer is repeated while a read waits for it: a message may be lost. Milliseconds. */
const RETRY_PAUSES = [500]

/** Up to when endings are known. Seconds. */
interface Coverage {
  readonly next: number
  /** While some are out of reach: up to when the others are known. */
  readonly heard?: number
}

/**
 * The sessions that ended lately, as this isolate knows them, so that it refuses tokens that have
 * not reached their own end. The ledger is asked once in four seconds, not once for each request,
 * and always by its own clock.
 */
export class RecentRevocations {
  readonly #list = new RevocationTimeline()
  readonly #ledger: RevocationSource
  readonly #now: () => number
  /** How long a token counts, in seconds: older endings need not be known. */
  #window: number
  readonly #interval: number
  /** All cut-offs, until one more is known. */
  #cutoffs: readonly UserCutoff[] | undefined
  /** All refreshes of claims, until one more is known. */
  #stale: readonly ListedStale[] | undefined
  #askedAt = Number.NEGATIVE_INFINITY
  #looks = 0
  /** Is there a cut-off of an erased person? Only the `pid` of their tokens names them. */
  #knowsErased = false
  /** When the last look began that was answered. */
  #heardAt = Number.NEGATIVE_INFINITY
  /** A look, while it is waited for. */
  #wait: Promise<unknown> | undefined
  /** The last look that was answered. */
  #heard = 0
  /** Up to when all is known, by the ledger's clock. Seconds. */
  #next: number | undefined
  /** Up to when anything is: while one of several objects is out of reach, `#next` stands still. Seconds. */
  #heardTo = 0
  /** The marks of the answers so far, for the next question. */
  #marks: RevocationLines['marks']

  constructor(ledger: RevocationSource, tokenMaxAge: number, now: () => number) {
    this.#ledger = ledger
    this.#interval = MAX_DELAY - (ledger.age ?? 0)
    this.#window = tokenMaxAge
    this.#now = now
  }

  /**
   * Keeps endings for at least this long: another configuration of the same process may let its
   * tokens live longer. Earlier endings are fetched again.
   *
   * @param tokenMaxAge seconds
   */
  cover(tokenMaxAge: number): void {
    if (tokenMaxAge <= this.#window) return
    this.#window = tokenMaxAge
    this.#next = undefined
    this.#marks = undefined
    this.#askedAt = Number.NEGATIVE_INFINITY
  }

  add(sid: string): void {
    this.#list.addOwn(sid, Math.floor(this.#now() / 1000))
  }

  has(claims: Pick<SessionClaims, 'sid' | 'sub' | 'pid' | 'auth_time' | 'began'>): boolean {
    const { pid } = claims
    if (!this.#knowsErased || pid === undefined) return this.#list.has(claims)
    return this.#list.has(claims, erasedName(pid))
  }

  cutOff(cutoff: UserCutoff): void {
    this.#notice([cutoff])
    this.#list.addCutoff(cutoff)
    this.#cutoffs = undefined
  }

  refreshed(claims: ListedStale): void {
    this.#list.addStale(claims)
    this.#stale = undefined
  }

  /** Up to when the tokens of a session are stale, as far as is known here; `undefined`: none is. Seconds. */
  staleUntil(claims: Pick<SessionClaims, 'sid' | 'sub' | 'pid'>): number | undefined {
    return this.#list.staleUntil(claims)
  }

  /** Is a look under way that is late, or the first one? Until then too few endings are known. */
  get isBehind(): boolean {
    return (
      this.#wait !== undefined && Math.abs(this.#now() - this.#heardAt) >= this.#interval + MAX_WAIT
    )
  }

  /**
   * Has this isolate heard nothing yet of a ledger in several objects? A session's own object may answer
   * where their collectors do not.
   */
  get isUnheard(): boolean {
    return this.#next === undefined && this.#ledger.age !== undefined
  }

  get isDue(): boolean {
    return Math.abs(this.#now() - this.#askedAt) >= this.#interval
  }

  /**
   * The endings at a time or later, or a page of them, and the time up to which all is known;
   * `undefined` when the ledger was never reached.
   *
   * @param time seconds, by the ledger's clock
   */
  since(time: number, size?: PageSize): (RevocationPage & Coverage) | undefined {
    const coverage = this.#coverage
    return coverage && { ...this.#list.page(time, size), ...coverage }
  }

  /**
   * The sessions that ended and whose handles begin as one of these names does, and all cut-offs and refreshes of claims, the
   * same arrays until one more is known; `undefined` when the ledger was never reached.
   */
  among(names: readonly string[]): (Omit<RevocationPage, 'more'> & Coverage) | undefined {
    const coverage = this.#coverage
    if (!coverage) return undefined
    this.#cutoffs ??= [...this.#list.seconds(0)].flatMap(([, { users }]) => users)
    this.#stale ??= [...this.#list.seconds(0)].flatMap(([, { stale }]) => stale)
    const page = { sids: this.#list.among(names), users: this.#cutoffs, ...coverage }
    return this.#stale.length === 0 ? page : { ...page, stale: this.#stale }
  }

  get #coverage(): Coverage | undefined {
    const next = this.#next
    if (next === undefined) return undefined
    return this.#heardTo > next ? { next, heard: this.#heardTo } : { next }
  }

  /**
   * Learns of endings elsewhere. While the ledger cannot be reached, the known endings stand: a
   * token is good for its own short life.
   *
   * @param waitUntil keeps work alive that the caller does not wait for
   */
  async refresh(
    logger: Pick<Logger, 'error'>,
    waitUntil: (work: Promise<unknown>) => void,
  ): Promise<void> {
    // Beside the first request after a pause others come, which know as little.
    if (this.#wait && !this.isDue) {
      // A Worker throws if that request has ended, and its question with it.
      const wait = within(MAX_WAIT, this.#wait).then(() => true)
      const hasCome = await wait.catch(() => false)
      if (hasCome) return
    }
    const now = this.#now()
    // Before the answer is there, so that parallel requests do not ask as well.
    this.#askedAt = now
    const work = this.#learn(now)
    // Otherwise a client that asks and leaves could keep the others from learning of endings.
    waitUntil(work.catch(() => {}))
    const wait = answerWithin(MAX_WAIT, work).catch((error: Error) => logger.error(error))
    this.#wait = wait
    await wait
    if (this.#wait === wait) this.#wait = undefined
  }

  #notice(cutoffs: readonly UserCutoff[]): void {
    this.#knowsErased ||= cutoffs.some(({ sub }) => erasedPid(sub) !== undefined)
  }

  async #learn(now: number): Promise<void> {
    const look = ++this.#looks
    const window = this.#window
    const oldest = Math.floor(now / 1000) - window - CLOCK_SKEW
    this.#list.forget(oldest)
    for (let hasMore = true; hasMore; ) {
      const since = Math.max(this.#next ?? 0, oldest)
      const isFirst = this.#next === undefined
      const marks = this.#marks
      const ask = () => this.#ledger.revokedSince(since, isFirst, marks)
      const lines = await withRetries(ask, RETRY_PAUSES)
      this.#list.add(lines)
      this.#notice(lines.users)
      this.#cutoffs = undefined
      this.#stale = undefined
      // A later look knows more.
      if (look < this.#heard) return
      this.#heard = look
      // It was not asked for all that counts by now; the next look is.
      if (window < this.#window) return
      this.#next = lines.next
      this.#marks = 'marks' in lines ? lines.marks : undefined
      this.#heardTo = ('heard' in lines ? lines.heard : undefined) ?? lines.next
      this.#heardAt = now
      hasMore = lines.hasMore && lines.next > since
    }
  }
}
