import { type Reading, WorkerUnavailable } from '@latchkey/session'
import { NOBODY } from '@latchkey/session/internal'
import { OLD_SESSIONS_HEADER } from '../shared/old-sessions-header.js'
import type { OldCookies } from './old-cookies.js'
import { readText } from './read-text.js'
import type { ServiceCall } from './service.js'

/** The most of an answer that is read. Bytes. */
const MAX_ANSWER = 256 * 1024

/** How long the service may take, as for other questions about sessions. Milliseconds. */
const TIMEOUT = 5_000

interface OldSessionCall {
  readonly oldCookies: OldCookies
  /** By which people tell their sessions apart. */
  readonly userAgent: string | null | undefined
  /** Asks the service's `/session`, with all cookies of the request. */
  readonly ask: (init: ServiceCall['init']) => Promise<Response>
  /** Reads the session with these cookies, which are passed on to the browser. */
  readonly read: (lines: readonly string[]) => Promise<Reading>
}

/**
 * Asks the service whether a session of another library goes on as one of ours.
 *
 * @throws {WorkerUnavailable} it is then unknown whether a user is signed in
 */
export async function continueOldSession({
  oldCookies,
  userAgent,
  ask,
  read,
}: OldSessionCall): Promise<Reading> {
  const headers = new Headers({ accept: 'application/json' })
  if (userAgent) headers.set('user-agent', userAgent)
  const answer = await ask({ method: 'GET', headers, signal: AbortSignal.timeout(TIMEOUT) })
  const { status } = answer
  if (status !== 200) {
    await answer.body?.cancel()
    // A proxy in front of the Worker may refuse one request. That says nothing about the others.
    if (status < 500) return NOBODY
    throw new WorkerUnavailable(`The auth service answered /session with status ${status}.`)
  }
  // A body that breaks off leaves the cookies, and the old session may be used up.
  const text = await readText(answer, MAX_ANSWER).catch(() => undefined)
  if (text !== 'null') return read(answer.headers.getSetCookie())
  if (!answer.headers.has(OLD_SESSIONS_HEADER)) oldCookies.pause(Date.now())
  return NOBODY
}
