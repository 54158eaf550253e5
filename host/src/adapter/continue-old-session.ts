import { type Reading, WorkerUnavailable } from '@latchkey/session'
import { NOBODY } from '@latchkey/session/internal'
import { OLD_SESSIONS_HEADER } from '../shared/old-sessions-header.js'
import type { Call } from './ask-service.js'
import type { OldCookies } from './old-cookies.js'
import { readText } from './read-text.js'
import type { RequestStates } from './request-states.js'
import type { ServiceCall } from './service.js'

/** The most of an answer that is read. Bytes. */
const MAX_ANSWER = 256 * 1024

/** How long the service may take, as for other questions about sessions. Milliseconds. */
const TIMEOUT = 5_000

/**
 * Asks the service whether a session of another library goes on as one of ours.
 *
 * @param states to which the cookies of the new session are added, for the browser
 * @param ask asks the service's `/session`, with all cookies of the request
 * @throws {WorkerUnavailable} it is then unknown whether a user is signed in
 */
export async function continueOldSession(
  { request, settings, service, origin }: Omit<Call, 'mountState'>,
  oldCookies: OldCookies,
  states: RequestStates,
  ask: (init: ServiceCall['init']) => Promise<Response>,
): Promise<Reading> {
  const cookie = states.cookie(request)
  const headers = new Headers({ accept: 'application/json' })
  // By which people tell their sessions apart.
  const userAgent = request.header('user-agent')
  if (userAgent) headers.set('user-agent', userAgent)
  const init = { method: 'GET', headers, signal: AbortSignal.timeout(TIMEOUT) }
  const answer = await ask(init)
  const { status } = answer
  if (status !== 200) {
    await answer.body?.cancel()
    // A proxy in front of the Worker may refuse one request. That says nothing about the others.
    if (status < 500) return NOBODY
    throw new WorkerUnavailable(`The auth service answered /session with status ${status}.`)
  }
  // A body that breaks off leaves the cookies, and the old session may be used up.
  const text = await readText(answer, MAX_ANSWER).catch(() => undefined)
  if (text === 'null') {
    if (!answer.headers.has(OLD_SESSIONS_HEADER)) oldCookies.pause(Date.now())
    return NOBODY
  }
  const isOutrun = states.cookie(request) !== cookie
  const setCookie = isOutrun ? [] : states.setCookies(request, answer.headers.getSetCookie())
  const { waitUntil } = request
  const options = { ...origin, waitUntil, service: service.address(waitUntil) }
  return { ...(await settings.verifier.read(states.cookie(request), options)), setCookie }
}
