import type { SessionClaims } from '@latchkey/session'
import type { RequestScope } from '../http/scope.js'

/**
 * Ends a session for good: first in the ledger, which decides, then its record.
 *
 * @throws {StoreUnavailable} when the ledger cannot be written: the session is not over then
 */
export async function revokeSession(scope: RequestScope, claims: SessionClaims): Promise<void> {
  const { stores, session, revocations } = scope.config
  // A session may be extended by a request that is under way, so the mark outlives `sexp`.
  await stores.ledger.revoke(claims.sid, claims.sexp + session.maxAge)
  revocations.add(claims.sid)
  deleteRecord(scope, claims)
}

/** Deletes the record of a session that is over, after the answer: the ledger decides anyhow. */
export function deleteRecord(
  { config, waitUntil }: RequestScope,
  { sub, sid }: { readonly sub: string; readonly sid: string },
): void {
  const { stores, logger } = config
  waitUntil(stores.sessions.delete(sub, sid).catch((error: Error) => logger.error(error)))
}

/** Once this isolate has heard of an end, plain reads know it as well. @throws {StoreUnavailable} */
export async function isRevoked({ config }: RequestScope, sid: string): Promise<boolean> {
  const { revocations, stores } = config
  if (revocations.has(sid)) return true
  const isOver = await stores.ledger.isRevoked(sid)
  if (isOver) revocations.add(sid)
  return isOver
}
