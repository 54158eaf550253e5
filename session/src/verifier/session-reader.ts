import { isLive, isNearEnd, type SessionClaims } from '../token/claims.js'
import { onlyToken, sessionTokens } from '../token/cookie.js'
import type { FeedReader } from './feed-reader.js'
import { FreshClaims } from './fresh-claims.js'
import { areCurrent, type KeySource, waitForKeys } from './key-source.js'
import type { WaitUntil } from './poller.js'
import {
  EXPIRED,
  FOREIGN,
  NOBODY,
  type Reading,
  type SessionReading,
  type SessionRequest,
} from './reading.js'
import { RenewalsAhead } from './renewals-ahead.js'
import { type Candidate, Renewer } from './renewer.js'
import type { RevocationList } from './revocations.js'
import { SessionTokenVerifier } from './session-token-verifier.js'
import { type WorkerAddress, type WorkerClient, WorkerUnavailable } from './worker-client.js'

/** The parts of a reader of sessions. */
interface ReaderParts {
  readonly keys: KeySource
  readonly feed: FeedReader | undefined
  readonly client: WorkerClient | undefined
  readonly cacheSize: number
  readonly now: () => number
  /** Sessions whose tokens are to be renewed, as this process knows without the feed. */
  readonly ended?: RevocationList | undefined
}

/** Reads sessions: at once if possible, and otherwise with calls to the service. */
export class SessionReader {
  readonly #parts: ReaderParts
  readonly #now: () => number
  readonly #renewer: Renewer | undefined
  readonly #ahead: RenewalsAhead
  readonly #fresh: FreshClaims
  /** The verifier with the latest usable keys. Its cache is dropped together with them. */
  #tokens: SessionTokenVerifier | undefined

  constructor(parts: ReaderParts) {
    const { client, now, cacheSize } = parts
    this.#parts = parts
    this.#now = now
    this.#ahead = new RenewalsAhead(now, cacheSize)
    this.#fresh = new FreshClaims(now, cacheSize)
    this.#renewer =
      client &&
      new Renewer({
        client,
        now,
        verify: async (token, request) => {
          const reading = await this.#examine(token, request)
          // The service has just said that the session goes on, and may allow more than its last
          // feed said.
          if (typeof reading !== 'object' || !isLive(reading.claims, now())) return undefined
          // From now on it is in use: its next read need not wait for a question.
          parts.feed?.mustAsk(reading.claims, now())
          return reading
        },
        isOver: ({ claims }) => parts.feed?.list.has(claims) === true,
        // An isolate of the service may not have heard of a refresh that is known here: the ledger has.
        isInDoubt: ({ claims }) =>
          parts.feed?.list.isInDoubt(claims) === true || this.#isStale(claims),
      })
  }

  /**
   * The answer for most requests, which have a token that was seen before, or none. Makes no
   * promise and no object, only two slices of the header.
   *
   * @returns `undefined` if more has to be done
   */
  recall(
    cookieHeader: string | null | undefined,
    issuer: string,
    name: string,
    waitUntil: WaitUntil | undefined,
    address: WorkerAddress | undefined,
  ): Reading | undefined {
    const token = onlyToken(cookieHeader, name)
    if (token === undefined) return undefined
    if (token === '') return NOBODY
    const tokens = this.#tokens
    if (tokens === undefined) return undefined
    const now = this.#now()
    const reading = tokens.recall(token, issuer, now)
    if (typeof reading !== 'object') return undefined
    if (!areCurrent(this.#parts, tokens.keys, now, waitUntil)) return undefined
    const { feed } = this.#parts
    if (feed !== undefined) {
      if (feed.list.has(reading.claims)) return NOBODY
      if (feed.list.isInDoubt(reading.claims) || this.#isStale(reading.claims)) return undefined
      if (feed.mustAsk(reading.claims, now)) return undefined
    }
    if (!isLive(reading.claims, now, feed?.maxLife)) return undefined
    if (feed === undefined || isBound(reading.claims)) return reading
    if (!isNearEnd(reading.claims, now, feed.maxLife)) return reading
    const request = { cookieHeader, issuer, name, waitUntil, online: false, address }
    return this.#beforeEnd({ token, reading }, request)
  }

  /** @throws {WorkerUnavailable} */
  async read(request: SessionRequest): Promise<Reading> {
    const tokens = sessionTokens(request.cookieHeader, request.name)
    if (tokens.length === 0) return NOBODY
    const live: Candidate[] = []
    /** Tokens of which the service has to say whether their session goes on. */
    const unsure: Candidate[] = []
    let isInDoubt = false
    let isForeign = false
    for (const token of tokens) {
      const reading = await this.#examine(token, request)
      if (reading === 'in-doubt') isInDoubt = true
      else if (reading === 'foreign') isForeign = true
      else if (
        reading &&
        this.#mayCount(reading.claims) &&
        !(await this.#isOver(reading.claims, request))
      ) {
        ;(this.#goesOn(reading.claims) ? live : unsure).push({ token, reading })
      }
    }
    const [first] = live
    const candidates = [...live, ...unsure]
    if (!areOnePerson(candidates)) {
      const reading = await this.#readOneOf(live, unsure, request)
      const one = live.find((candidate) => candidate.reading === reading)
      return (one && this.#upToDate(one, request)) ?? reading
    }
    if (!request.online) {
      if (first) return this.#upToDate(first, request) ?? this.#beforeEnd(first, request)
      for (const { token } of unsure) {
        const renewed = this.#renewed(token)
        if (renewed) return renewed
      }
    }
    if (candidates.length > 0) return this.#renewer?.read(candidates, request) ?? EXPIRED
    if (isInDoubt) throw new WorkerUnavailable('The key of a session cannot be looked up now.')
    return isForeign ? FOREIGN : NOBODY
  }

  /** A token from before a refresh of its claims is renewed before it counts. */
  #upToDate(candidate: Candidate, request: SessionRequest): Promise<Reading> | undefined {
    const { token, reading } = candidate
    const renewer = this.#renewer
    if (!renewer || !this.#isStale(reading.claims)) return undefined
    const isGood = (renewed: SessionReading) => this.#mayUse(renewed)
    return this.#fresh.read(token, reading, isGood, () => renewer.read([candidate], request))
  }

  #isStale(claims: SessionClaims): boolean {
    const { feed, ended } = this.#parts
    return feed?.list.isStale(claims) === true || ended?.isStale(claims) === true
  }

  /** Near its end a token is renewed beside the request, for the next one. */
  #beforeEnd(candidate: Candidate, request: SessionRequest): Reading {
    const { token, reading } = candidate
    const { feed } = this.#parts
    const renewer = this.#renewer
    if (!renewer || isBound(reading.claims)) return reading
    if (!isNearEnd(reading.claims, this.#now(), feed?.maxLife)) return reading
    const renewed = this.#renewed(token)
    if (renewed) return renewed
    const renew = () => renewer.read([candidate], request)
    this.#ahead.begin(token, reading, renew, request.waitUntil)
    return reading
  }

  #renewed(token: string): Reading | undefined {
    const reading = this.#ahead.renewed(token, this.#parts.feed?.maxLife)
    return reading && this.#mayUse(reading) ? reading : undefined
  }

  /** Does the token that a renewal has brought still count here? */
  #mayUse({ claims }: SessionReading): boolean {
    const { feed } = this.#parts
    // Its cut-off may be known by a name that the older token does not say.
    if (feed?.list.has(claims) || !this.#goesOn(claims) || this.#isStale(claims)) return false
    return !feed?.mustAsk(claims, this.#now())
  }

  /**
   * Tokens of several users do not sign in, unless the service says that only one of the sessions
   * is live. A sibling host that shares the cookie may toss a session of its own, under a longer
   * path, before or behind ours (RFC 6265bis, 5.8.3 and 8.6).
   */
  async #readOneOf(
    live: readonly Candidate[],
    unsure: readonly Candidate[],
    request: SessionRequest,
  ): Promise<Reading> {
    const [first] = live
    if (!this.#renewer) return !first ? EXPIRED : areOnePerson(live) ? first.reading : NOBODY
    const asked = request.online ? [...live, ...unsure] : unsure
    const candidates = request.online ? [] : live
    return areOnePerson(candidates) ? this.#renewer.readOneOf(candidates, asked, request) : NOBODY
  }

  /**
   * The claims of a genuine token of the issuer; `in-doubt` when its key could not be fetched,
   * `foreign` when it is not ours.
   */
  async #examine(
    token: string,
    { issuer, waitUntil }: SessionRequest,
  ): Promise<SessionReading | 'in-doubt' | 'foreign' | undefined> {
    await waitForKeys(this.#parts, waitUntil)
    let reading = await this.#usableTokens().verify(token, issuer)
    if (reading === 'unknown-key') {
      if (!(await this.#parts.keys.lookFor(this.#now(), waitUntil))) return 'in-doubt'
      reading = await this.#usableTokens().verify(token, issuer)
    }
    if (typeof reading !== 'string') return reading
    return reading === 'unknown-key' || reading === 'bad-signature' ? 'foreign' : undefined
  }

  /** @throws {WorkerUnavailable} when there are no keys */
  #usableTokens(): SessionTokenVerifier {
    const { keys, cacheSize } = this.#parts
    const usable = keys.usable(this.#now())
    if (!usable) throw new WorkerUnavailable('The keys of the auth service are not known.')
    if (this.#tokens?.keys !== usable) {
      this.#tokens = new SessionTokenVerifier({ keys: usable, now: this.#now, cacheSize })
    }
    return this.#tokens
  }

  /** Only its browser renews the token of a bound session, so the service is not asked about one that has ended. */
  #mayCount(claims: SessionClaims): boolean {
    return !isBound(claims) || isLive(claims, this.#now())
  }

  /** Has the token not ended, and can no ending that is known be its session's? */
  #goesOn(claims: SessionClaims): boolean {
    const { feed } = this.#parts
    return isLive(claims, this.#now(), feed?.maxLife) && !feed?.list.isInDoubt(claims)
  }

  /** @throws {WorkerUnavailable} when the service has to be asked about the session, and does not answer */
  async #isOver(claims: SessionClaims, request: SessionRequest): Promise<boolean> {
    const { feed } = this.#parts
    if (!feed) return false
    await feed.refreshIfDue(this.#now(), request.waitUntil)
    // About any other token the service is asked in any case.
    const counts = !request.online && isLive(claims, this.#now(), feed.maxLife)
    if (counts && !feed.list.has(claims) && feed.mustAsk(claims, this.#now())) {
      await feed.askAbout(claims)
    }
    return feed.list.has(claims)
  }
}

function isBound({ cnf }: SessionClaims): boolean {
  return cnf !== undefined
}

function areOnePerson(candidates: readonly Candidate[]): boolean {
  return candidates.every(({ reading }) => reading.claims.sub === candidates[0]?.reading.claims.sub)
}
