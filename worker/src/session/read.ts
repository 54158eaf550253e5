import type { Session, SessionClaims } from '@latchkey/session'
import { isLive } from '@latchkey/session/internal'
import { sessionTokens } from '@latchkey/session/issue'
import { ownCookieName } from '../http/cookies.js'
import type { AuthRequest } from '../http/request.js'
import { isRevoked } from './revoke.js'

/** A genuine session of this service. Its token is within its time, or `expired` and to be renewed. */
export interface GoodSession {
  readonly state: 'live' | 'expired'
  readonly claims: SessionClaims
  readonly session: Session
}

/** One that this isolate knows to be over, no good for anything but to be ended again. */
interface OverSession {
  readonly state: 'over'
  readonly claims: SessionClaims
  readonly session: Session
}

/**
 * The session that a request's cookie carries, live or due for renewal; `undefined` for none, or
 * for one that was ended more than five seconds ago.
 * Of several cookies with the name the first live one counts, then the first to be renewed.
 */
export function readSession(request: AuthRequest): Promise<GoodSession | undefined> {
  return find(request)
}

/** The same, and where there is none, one that is over: for who ends it once more. */
export function readEvenOver(request: AuthRequest): Promise<GoodSession | OverSession | undefined> {
  return find<OverSession>(request, (over) => over)
}

/** @param keep takes one that is over, where that is asked for */
async function find<Over = never>(
  request: AuthRequest,
  keep?: (over: OverSession) => Over,
): Promise<GoodSession | Over | undefined> {
  const { config, keys, revocations } = request
  const { verifier } = keys
  let expired: GoodSession | undefined
  let over: Over | undefined
  for (const token of sessionTokens(request.cookieHeader, ownCookieName(request, 'sessionToken'))) {
    const known = verifier.recall(token, request.issuer)
    const found = known ?? (await verifier.verify(token, request.issuer))
    if (typeof found === 'string') continue
    if (revocations.isDue) await revocations.catchUp(config.logger, request.waitUntil)
    const { claims, session } = found
    if (revocations.has(claims)) {
      over ??= keep?.({ state: 'over', claims, session })
      continue
    }
    // Endings are known for as long as a token may live now. One that was to live longer, when it was
    // signed, is renewed, so that the ledger decides.
    if (isLive(claims, config.now(), config.session.tokenMaxAge)) {
      return { state: 'live', claims, session }
    }
    expired ??= { state: 'expired', claims, session }
  }
  return expired ?? over
}

/**
 * The claims of the signed-in user, for routes that only the owner of a session may use. The ledger
 * decides, also about a token that is still good.
 *
 * @throws {StoreUnavailable}
 */
export async function signedIn(request: AuthRequest): Promise<SessionClaims | undefined> {
  const found = await readSession(request)
  if (!found || (await isRevoked(request, found.claims))) return undefined
  return found.claims
}
