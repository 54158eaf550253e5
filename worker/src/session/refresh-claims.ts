import type { SessionClaims } from '@latchkey/session'
import { TooManyRefreshes } from '../errors.js'
import { logEvent } from '../http/log-event.js'
import { type AuthRequest, nowInSeconds } from '../http/request.js'
import type { ClaimsRefresh, RefreshedClaims, SessionOwner } from '../stores/ledger/types.js'
import type { WhoseClaims } from '../types/auth-handler.js'
import { isSid } from './end.js'
import { ownerOf } from './revoke.js'

/**
 * Has the tokens of a person, or of one session, renewed at their next use, for the operator.
 *
 * @throws {TooManyRefreshes} nothing was written
 * @throws {StoreUnavailable} call it again
 */
export async function refreshClaimsOf(
  request: AuthRequest,
  { sub, session: sid }: WhoseClaims,
): Promise<void> {
  // No session has such an id.
  if (sid !== undefined && !isSid(sid)) return
  const { retryAfter = 0 } = await refresh(request, { sub, sid })
  if (retryAfter > 0) {
    const error = new TooManyRefreshes('Too many claims were refreshed within minutes.')
    error.retryAfter = retryAfter
    throw error
  }
  const which = sid === undefined ? 'all' : 'one'
  await logEvent(request, { event: 'claims-refreshed', sub, which, by: 'operator' })
}

/**
 * Refreshes the claims of one session, because its person asks. If too many stand, nothing is written: the caller's own token is
 * renewed, and older ones end by themselves.
 *
 * @returns `over`: the session is
 * @throws {StoreUnavailable}
 */
export async function refreshOwn(
  request: AuthRequest,
  claims: SessionClaims,
): Promise<'over' | undefined> {
  const { sub, sid } = claims
  const { until, isOver } = await refresh(request, { sub, sid }, ownerOf(claims))
  if (isOver) return 'over'
  if (until === undefined) return undefined
  await logEvent(request, { event: 'claims-refreshed', sub, which: 'one', by: 'person' })
  return undefined
}

async function refresh(
  request: AuthRequest,
  whose: RefreshedClaims,
  asker?: SessionOwner,
): Promise<ClaimsRefresh> {
  const { config, features, keys, revocations, stores } = request
  const now = nowInSeconds(request)
  const window = Math.max(config.session.tokenMaxAge, features.tokenLife)
  const { sub, sid } = whose
  const named = { ...whose, pids: await keys.pseudonyms.all(sub) }
  const answer = await stores.ledger.refreshClaims(named, now, window, asker)
  const { until } = answer
  // At once in this isolate, and in others when they ask the ledger.
  if (until !== undefined)
    revocations.refreshed({ ...(sid === undefined ? { sub } : { sid }), until, at: now })
  return answer
}
