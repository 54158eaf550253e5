import { BoundedCache } from '../lib/bounded-cache.js'
import { sessionTokens } from '../token/cookie.js'
import { cookieAfter, cookieOf, isRemoval, ownLines } from '../token/set-cookie.js'
import {
  NOBODY,
  type Reading,
  type SessionReading,
  type SessionRequest,
  sessionReading,
} from './reading.js'
import { SharedCalls } from './shared-calls.js'
import { type WorkerClient, WorkerUnavailable } from './worker-client.js'

/** A genuine token, and the question to the service about it. */
export interface Candidate {
  readonly token: string
  readonly reading: SessionReading
}

interface RenewerParts {
  readonly client: Pick<WorkerClient, 'fetchSession'>
  readonly now: () => number
  /** The reading of the token, if it is live. */
  readonly verify: (token: string, request: SessionRequest) => Promise<SessionReading | undefined>
  readonly isOver: (reading: SessionReading) => boolean
  /** Does it take the ledger to say whether the session goes on? */
  readonly isInDoubt: (reading: SessionReading) => boolean
}

/** Sessions that the service has called over, which lie about beside another person's. */
const MAX_OVER = 1_000

/** Renews ended tokens by a call to the service, or asks it about any token. */
export class Renewer {
  readonly #parts: RenewerParts
  readonly #renewals: SharedCalls<Reading>
  readonly #over = new BoundedCache<Reading>(MAX_OVER)

  constructor(parts: RenewerParts) {
    this.#parts = parts
    this.#renewals = new SharedCalls(parts.now)
  }

  /**
   * The first candidate with a live session. Nearly always there is one candidate.
   *
   * @throws {WorkerUnavailable} when none is known to go on and one is not known to be over
   */
  async read(candidates: readonly Candidate[], request: SessionRequest): Promise<Reading> {
    const endings: (readonly string[])[] = []
    let failure: unknown
    for (const candidate of candidates) {
      try {
        const reading = await this.#readOne(candidate, request)
        if (reading.session) return reading
        endings.push(reading.setCookie)
      } catch (error) {
        failure ??= error
      }
    }
    if (failure) throw failure
    // The service decides for each whether its cookie is removed. One may stay for another
    // try.
    const setCookie = endings.every((lines) => lines.length > 0) ? (endings.at(-1) ?? []) : []
    return Object.freeze({ ...NOBODY, setCookie })
  }

  /**
   * The only user among several with a live session; no user if several have one, or if the
   * service does not know.
   *
   * @param live candidates that go on as far as is known here; of one person
   * @throws {WorkerUnavailable} when it is unknown of one whether it is over
   */
  async readOneOf(
    live: readonly Candidate[],
    asked: readonly Candidate[],
    request: SessionRequest,
  ): Promise<Reading> {
    const answers = await Promise.all(asked.map((candidate) => this.#readOnce(candidate, request)))
    // A service with a late store knows neither: the other user's session would count in the owner's place.
    if (answers.some(({ session, setCookie }) => !session && setCookie.length === 0)) return NOBODY
    const [first, ...others] = [
      ...live.map(({ reading }) => reading),
      ...answers.filter(({ session }) => session !== null),
    ]
    if (first) return others.every((one) => isSamePerson(one, first)) ? first : NOBODY
    const setCookie = answers.every((one) => isOver(one)) ? (answers.at(-1)?.setCookie ?? []) : []
    return Object.freeze({ ...NOBODY, setCookie })
  }

  /** As below, but a session that is over for good is not asked about again. */
  async #readOnce(candidate: Candidate, request: SessionRequest): Promise<Reading> {
    const name = nameOf(candidate)
    const known = this.#over.get(name)
    if (known) return known
    const reading = await this.#readOne(candidate, request)
    return isOver(reading) ? this.#over.set(name, reading) : reading
  }

  #readOne(candidate: Candidate, request: SessionRequest): Promise<Reading> {
    // An answer to an earlier request may be out of date, so with `online` no call is shared.
    if (request.online) return this.#ask(candidate, request)
    const ask = () => this.#ask(candidate, request)
    // A call that began before it was known here that the claims are stale may bring the old ones.
    const doubt = this.#parts.isInDoubt(candidate.reading) ? 'in doubt ' : ''
    return this.#renewals.share(doubt + proofOf(candidate), ask, request.waitUntil)
  }

  /** The service's answer about one token. A fresh token in it is verified like any other. */
  async #ask({ token, reading }: Candidate, request: SessionRequest): Promise<Reading> {
    const { client, verify, isOver, isInDoubt } = this.#parts
    const { name, address } = request
    const online = request.online || isInDoubt(reading)
    const cookie = cookieOf(token, name, request.cookieHeader ?? '')
    const { iss } = reading.claims
    const { expires, setCookie } = await client.fetchSession(iss, cookie, online, address)
    const lines = ownLines(setCookie, name)
    if (expires === null) return { ...NOBODY, setCookie: lines.filter(isRemoval) }
    const renewed = sessionTokens(cookieAfter(lines), name)
    for (const renewal of renewed.length > 0 ? renewed : [token]) {
      const now = await verify(renewal, request)
      if (!now || now.session.expires !== expires || !isSameSession(now, reading)) continue
      return isOver(now) ? NOBODY : sessionReading(now, Object.freeze(lines))
    }
    throw new WorkerUnavailable('The auth service sent no token for the session that verifies.')
  }
}

function isSameSession(
  { claims: one }: SessionReading,
  { claims: other }: SessionReading,
): boolean {
  return one.sid === other.sid && one.sub === other.sub && one.iss === other.iss
}

function nameOf({ reading }: Candidate): string {
  const { iss, sub, sid } = reading.claims
  return JSON.stringify([iss, sub, sid])
}

/**
 * The session with the proof of the person. An older copy of the cookie must not get the token that
 * the owner's newer proof brought.
 */
function proofOf(candidate: Candidate): string {
  const { auth_time, amr } = candidate.reading.claims
  return JSON.stringify([nameOf(candidate), auth_time, amr])
}

/** Only for good does the service remove a cookie. */
function isOver({ session, setCookie }: Reading): boolean {
  return session === null && setCookie.length > 0
}

function isSamePerson({ claims: one }: Reading, { claims: other }: Reading): boolean {
  return one?.sub === other?.sub
}
