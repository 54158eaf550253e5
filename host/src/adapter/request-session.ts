import type { Reading, Session, SessionNeeds } from '@latchkey/session'
import { isEnough } from '@latchkey/session/issue'
import { checkNeeds } from '../shared/check-needs.js'

/** The session of one request: read at the first call, and the same one for all of them. */
export class RequestSession {
  readonly #read: () => Reading | Promise<Reading>
  #reading: Promise<Reading> | undefined
  /** Was the session asked for? Then the answer may depend on it. */
  wasRead = false

  /** @param read called once, until {@link RequestSession.forget} */
  constructor(read: () => Reading | Promise<Reading>) {
    this.#read = read
  }

  /** The reading behind the session. */
  reading(): Promise<Reading> {
    this.wasRead = true
    this.#reading ??= handled(new Promise((resolve) => resolve(this.#read())))
    return this.#reading
  }

  /** Waits for a reading that has begun: the cookie that it renews belongs to this request's answer. */
  async settled(): Promise<void> {
    await this.#reading?.catch(() => {})
  }

  /** The session; `null` if it does not suffice. Rejects and names a need that is invalid. */
  session(needs?: SessionNeeds): Promise<Session | null> {
    return handled(this.#suffices(needs))
  }

  async #suffices(needs: SessionNeeds | undefined): Promise<Session | null> {
    const pending = this.reading()
    const { session, claims } = await pending
    if (needs === undefined) return session
    checkNeeds(needs)
    // A session that was read before a sign-in or sign-out does not count.
    if (!claims || this.#reading !== pending) return null
    return isEnough(claims, Date.now(), needs) ? session : null
  }

  /** Forgets the session after a possible sign-in or sign-out. */
  forget(): void {
    this.#reading = undefined
  }
}

/** Callers get the rejection. A page that calls without `await` must not end the process. */
function handled<Result>(work: Promise<Result>): Promise<Result> {
  work.catch(() => {})
  return work
}
