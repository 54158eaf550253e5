import type { SessionClaims } from '@latchkey/session'
import { hasEndedSince } from '../../http/ended-since.js'
import { type AuthRequest, nowInSeconds } from '../../http/request.js'
import { end, endedOf, endSessions, listed, logRevocation } from '../../session/end.js'
import type { KeptPassword } from './kept-password.js'

/** A change whose sessions were not ended is finished for so long. Seconds. */
const UNFINISHED = 24 * 60 * 60

/**
 * Ends all other sessions of a person who has changed their password, as "sign out everywhere else" does.
 *
 * @returns `false`: the session that asks was over itself
 * @throws {StoreUnavailable} the next request with the new password finishes it
 */
export async function endOthers(request: AuthRequest, asker: SessionClaims): Promise<boolean> {
  if ((await endSessions(request, asker, 'others')) === 'nothing') return false
  await request.features.ports.devices?.keep(request, asker)
  return true
}

/** Has a change failed before it ended the sessions that began with the password before? @throws {StoreUnavailable} */
export async function isUnfinished(
  request: AuthRequest,
  sub: string,
  { ends, since }: KeptPassword,
): Promise<boolean> {
  if (!ends || nowInSeconds(request) - since > UNFINISHED) return false
  return !(await hasEndedSince(request, sub, since))
}

/** Ends the sessions that began before a change, for a person who has just typed the new password. @throws {StoreUnavailable} */
export async function endBefore(
  request: AuthRequest,
  sub: string,
  { since }: KeptPassword,
): Promise<void> {
  const older = (await listed(request, sub)).filter(({ created }) => created <= since)
  await end(request, older.map(endedOf), { sub, until: since })
  await logRevocation(request, sub, 'all')
}
