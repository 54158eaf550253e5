import { sessionTokens, type Verification } from '@latchkey/session'
import { ownCookieName, type RequestScope } from '../http/scope.js'

export type GoodSession = Exclude<Verification, { state: 'refused' }>

/**
 * The session that a request's cookie carries, live or due for renewal; `undefined` for none, or
 * for one that was ended more than five seconds ago.
 * Of several cookies with the name the first live one counts, then the first to be renewed.
 */
export async function readSession(
  scope: RequestScope,
  cookieHeader: string | null,
): Promise<GoodSession | undefined> {
  const { keys, revocations, logger } = scope.config
  const { verifier } = keys
  let expired: GoodSession | undefined
  for (const token of sessionTokens(cookieHeader, ownCookieName(scope, 'sessionToken'))) {
    const known = verifier.recall(token, scope.issuer)
    const verdict = known ?? (await verifier.verify(token, scope.issuer))
    if (verdict.state === 'refused') continue
    if (revocations.isDue) await revocations.refresh(logger)
    if (revocations.has(verdict.claims.sid)) continue
    if (verdict.state === 'live') return verdict
    expired ??= verdict
  }
  return expired
}
