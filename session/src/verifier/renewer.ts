import { cookieAfter, cookieOf, isRemoval, ownLines } from '../internal/set-cookie.js'
import { sessionTokens } from '../token/cookie.js'
import {
  NOBODY,
  type Reading,
  type SessionReading,
  type SessionRequest,
  sessionReading,
} from './reading.js'
import { Renewals } from './renewals.js'
import { type WorkerClient, WorkerUnavailable } from './worker-client.js'

/** A genuine token, and the question to the service about it. */
export interface Candidate {
  readonly token: string
  readonly found: SessionReading
}

interface RenewerParts {
  readonly client: Pick<WorkerClient, 'fetchSession'>
  readonly now: () => number
  /** The reading of the token, if it is live. */
  readonly verify: (token: string, request: SessionRequest) => Promise<SessionReading | undefined>
  readonly isOver: (found: SessionReading) => boolean
}

/** Renews ended tokens by a call to the service, or asks it about any token. */
export class Renewer {
  readonly #parts: RenewerParts
  readonly #renewals: Renewals<Reading>

  constructor(parts: RenewerParts) {
    this.#parts = parts
    this.#renewals = new Renewals(parts.now)
  }

  /**
   * The first candidate whose session goes on. Nearly always there is one candidate.
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
    // The service decides for each whether its cookie is removed. One of them may stay for another
    // try.
    const setCookie = endings.every((lines) => lines.length > 0) ? (endings.at(-1) ?? []) : []
    return Object.freeze({ ...NOBODY, setCookie })
  }

  #readOne(candidate: Candidate, request: SessionRequest): Promise<Reading> {
    // An answer to an earlier request may be out of date, so with `online` no call is shared.
    if (request.online) return this.#ask(candidate, request)
    const { iss, sub, sid } = candidate.found.claims
    const ask = () => this.#ask(candidate, request)
    return this.#renewals.share(JSON.stringify([iss, sub, sid]), ask, request.waitUntil)
  }

  /** The service's answer about one token. A fresh token in it is verified like any other. */
  async #ask({ token, found }: Candidate, request: SessionRequest): Promise<Reading> {
    const { client, verify, isOver } = this.#parts
    const { name, online, address } = request
    const cookie = cookieOf(token, name, request.cookieHeader ?? '')
    const { iss } = found.claims
    const { expires, setCookie } = await client.fetchSession(iss, cookie, online, address)
    const lines = ownLines(setCookie, name)
    if (expires === null) return { ...NOBODY, setCookie: lines.filter(isRemoval) }
    const renewed = sessionTokens(cookieAfter(lines), name)
    for (const given of renewed.length > 0 ? renewed : [token]) {
      const now = await verify(given, request)
      if (!now || now.session.expires !== expires || !isSameSession(now, found)) continue
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
