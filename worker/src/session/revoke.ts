import type { SessionClaims } from '@latchkey/session'
import type { RequestScope } from '../http/scope.js'

/**
 * Ends a session for good: first in the ledger, which decides, then its record.
 *
 * @throws {StoreUnavailable} when the ledger cannot be written: the session is not over then
 */
export async function revokeSession(
  { config, waitUntil }: RequestScope,
  { sub, sid, sexp }: SessionClaims,
): Promise<void> {
  const { ledger, sessions } = config.stores
  // A session may be extended by a request that is under way, so the mark outlives `sexp`.
  await ledger.revoke(sid, sexp + config.session.maxAge)
  config.revocations.add(sid)
  waitUntil(sessions.delete(sub, sid).catch((error: Error) => config.logger.error(error)))
}

/** @throws {StoreUnavailable} */
export async function isRevoked({ config }: RequestScope, sid: string): Promise<boolean> {
  return config.revocations.has(sid) || (await config.stores.ledger.isRevoked(sid))
}
