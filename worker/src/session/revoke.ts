import type { SessionClaims } from '@latchkey/session'
import type { AuthRequest } from '../http/request.js'
import type { SessionRecord } from '../stores/ports.js'

/** What names a session, and whose it is. */
export type SessionName = Pick<SessionClaims, 'sub' | 'sid' | 'auth_time'>

/**
 * Ends a session for good: first in the ledger, which decides, then its record.
 *
 * @param sexp the session's own end, in seconds
 * @throws {StoreUnavailable} when the ledger cannot be written: the session is not over then
 */
export async function revokeSession(
  request: AuthRequest,
  { sub, sid, sexp }: Pick<SessionClaims, 'sub' | 'sid' | 'sexp'>,
): Promise<void> {
  const { config, stores, revocations } = request
  // A session may be extended by a request that is under way, so the mark outlives `sexp`.
  await stores.ledger.revoke(sid, sexp + config.session.maxAge)
  revocations.add(sid)
  deleteRecord(request, { sub, sid })
}

/** Deletes the record of a session that is over, after the answer: the ledger decides anyhow. */
export function deleteRecord(
  { config, stores, waitUntil }: AuthRequest,
  { sub, sid }: { readonly sub: string; readonly sid: string },
): void {
  waitUntil(stores.sessions.delete(sub, sid).catch((error: Error) => config.logger.error(error)))
}

/** Once this isolate has heard of an end, plain reads know it as well. @throws {StoreUnavailable} */
export async function isRevoked(
  { revocations, stores }: AuthRequest,
  session: SessionName,
): Promise<boolean> {
  if (revocations.has(session)) return true
  const isOver = await stores.ledger.isRevoked(session.sid, session)
  if (isOver) revocations.add(session.sid)
  return isOver
}

/** The name of the session that a record is of. */
export function nameOf({ sub, sid, created }: SessionRecord): SessionName {
  return { sub, sid, auth_time: created }
}
