import { MOVES_IN_HEADER } from '../internal/moves-in.js'
import { NOBODY, type Reading } from '../verifier/reading.js'
import { TIMEOUT, WorkerUnavailable } from '../verifier/worker-client.js'
import type { OldCookies } from './old-cookies.js'
import type { ServiceCall } from './service.js'

interface MoveIn {
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
 * @throws {WorkerUnavailable} it is then unknown whether anybody is signed in
 */
export async function moveIn({ oldCookies, userAgent, ask, read }: MoveIn): Promise<Reading> {
  const headers = new Headers({ accept: 'application/json' })
  if (userAgent) headers.set('user-agent', userAgent)
  const answer = await ask({ method: 'GET', headers, signal: AbortSignal.timeout(TIMEOUT) })
  await answer.body?.cancel()
  if (answer.status >= 500) {
    throw new WorkerUnavailable(`The auth service answered /session with status ${answer.status}.`)
  }
  const lines = answer.headers.getSetCookie()
  if (lines.length > 0) return read(lines)
  if (!answer.headers.has(MOVES_IN_HEADER)) oldCookies.pause(Date.now())
  return NOBODY
}
