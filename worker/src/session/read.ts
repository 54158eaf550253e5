import type { SessionClaims } from '@latchkey/session'
import type { Verification } from '@latchkey/session/internal'
import { sessionTokens } from '@latchkey/session/issue'
import { ownCookieName, type RequestScope } from '../http/scope.js'
import { isRevoked } from './revoke.js'

export type GoodSession = Exclude<Verification, { state: 'refused' }>

/**
 * The session that a request's cookie carries, live or due for renewal; `undefined` for none, or
 * for one that was ended more than five seconds ago.
 * Of several cookies with the name the first live one counts, then the first to be renewed.
 */
export async function readSession(scope: RequestScope): Promise<GoodSession | undefined> {
  const { keys, revocations, logger } = scope.config
  const { verifier } = keys
  let expired: GoodSession | undefined
  for (const token of sessionTokens(scope.cookieHeader, ownCookieName(scope, 'sessionToken'))) {
    const known = verifier.recall(token, scope.issuer)
    const verdict = known ?? (await verifier.verify(token, scope.issuer))
    if (verdict.state === 'refused') continue
    if (revocations.isDue) await revocations.catchUp(logger, scope.waitUntil)
    if (revocations.has(verdict.claims)) continue
    if (verdict.state === 'live') return verdict
    expired ??= verdict
  }
  return expired
}

/**
 * Who asks, for what only the owner of a session may see or do: here the ledger has the last word,
 * also about a token that is still good.
 *
 * @throws {StoreUnavailable}
 */
export async function signedIn(scope: RequestScope): Promise<SessionClaims | undefined> {
  const found = await readSession(scope)
  if (!found || (await isRevoked(scope, found.claims))) return undefined
  return found.claims
}
