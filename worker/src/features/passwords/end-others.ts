import type { SessionClaims } from '@latchkey/session'
import { hasEndedSince } from '../../http/ended-since.js'
import { type AuthRequest, nowInSeconds } from '../../http/request.js'
import { end, endedOf, endOf, endSessions, listed, logRevocation } from '../../session/end.js'
import type { KeptPassword } from './kept-password.js'

/** A change whose sessions were not ended is finished for so long. Seconds. */
const UNFINISHED = 24 * 60 * 60

/**
 * Ends all other sessions of a person who has changed their password, as "sign out everywhere else" does.
 *
 * @returns `false`: the session that asks was over itself, or goes on by its browser's key alone
 * @throws {StoreUnavailable} the next request with the new password finishes it
 */
export async function endOthers(request: AuthRequest, asker: SessionClaims): Promise<boolean> {
  const ending = await endSessions(request, { state: 'live', claims: asker }, 'others')
  if (ending === 'nothing' || ending === 'nobody') return false
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
export function endBefore(
  request: AuthRequest,
  sub: string,
  { since }: KeptPassword,
): Promise<void> {
  return endUpTo(request, sub, since)
}

/**
 * Ends the sessions that may have begun with a password that was taken back, since the session that set it was over. A thief
 * of that session may have signed in with the password at once. All sessions up to now end. @throws {StoreUnavailable}
 */
export async function endTakenBack(request: AuthRequest, sub: string): Promise<void> {
  const second = nowInSeconds(request)
  await endUpTo(request, sub, second)
  await endOf(request, second)
}

async function endUpTo(request: AuthRequest, sub: string, until: number): Promise<void> {
  const older = (await listed(request, sub)).filter(({ created }) => created <= until)
  await end(request, older.map(endedOf), { sub, until })
  await logRevocation(request, sub, 'all')
}
