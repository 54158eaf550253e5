import { beganAt, isNearEnd, toSession } from '@latchkey/session/issue'
import { CallbackFailed, StoreUnavailable } from '../errors.js'
import { type Fields, refusePrototypes } from '../http/body.js'
import { json, type Outcome } from '../http/outcome.js'
import { answerPost } from '../http/post.js'
import type { AuthRequest } from '../http/request.js'
import { emit } from '../session/callbacks.js'
import { clearSessionCookie, setSessionCookie } from '../session/issue.js'
import { checkSkipped, type GoodSession, readSession } from '../session/read.js'
import { isStale, sessionEnd } from '../session/record.js'
import { refreshOwn } from '../session/refresh-claims.js'
import { type Renewal, renewSession, updateSession } from '../session/renew.js'
import { claimedStanding } from '../session/revoke.js'

/**
 * GET /session: the session, or `null`. Uses no store while the token is fresh, unless the caller
 * asks for the ledger's answer by `?online=1`, instead of this isolate's recent endings.
 */
export async function session(request: AuthRequest): Promise<Outcome> {
  const current = await readSession(request)
  if (!current) {
    checkSkipped(request)
    return request.features.ports.absentSession?.answer(request) ?? json(null)
  }
  if (request.method === 'HEAD') return lastKnown(request, current)
  const isOnline = request.hasQuery && request.query.get('online') === '1'
  const standing = isOnline ? await claimedStanding(request, current.claims) : undefined
  if (standing?.isOver) return answer(request, current, 'over')
  if (standing?.isNobody) return nobody(request)
  if (isOnline && (await request.features.ports.logouts?.ends(request, current.claims))) {
    return answer(request, current, 'over')
  }
  // The feed cannot tell an app that this token's user has signed out everywhere; of the next one it can.
  const isNameless = isOnline && current.claims.pid === undefined
  const isNeeded = isNameless || isDue(request, current)
  if (!isNeeded && !isStale(request, current.claims, standing)) return lastKnown(request, current)
  try {
    return await answer(request, current, await renewSession(request, current.claims, standing))
  } catch (error) {
    // While the token lasts, a fault of a store or of a callback changes nothing for its holder.
    const isFault = error instanceof StoreUnavailable || error instanceof CallbackFailed
    if (!isFault || current.state !== 'live') throw error
    request.config.logger.error(error)
    return json(current.session)
  }
}

/** POST /session: lets the app's callbacks change the session. Without callbacks nothing changes. */
export function postSession(request: AuthRequest): Promise<Outcome> {
  return answerPost(request, async ({ fields }) => {
    refusePrototypes(fields)
    const current = await readSession(request)
    if (!current) {
      checkSkipped(request)
      return json(null)
    }
    const renewal = await changedBy(request, current, fields)
    if (renewal === 'unknown' && current.state === 'live') {
      // The person stays signed in, and hears that what they sent was not stored.
      throw new StoreUnavailable('The session was not updated: its record cannot be read now.')
    }
    return answer(request, current, renewal)
  })
}

/**
 * A new token after the app's callbacks got the data, if there is any. With `refresh` the older tokens of the session are stale
 * everywhere, or if too many are, they end by themselves.
 */
async function changedBy(
  request: AuthRequest,
  { claims }: GoodSession,
  fields: Fields,
): Promise<Renewal> {
  if (fields.refresh !== true) return updateSession(request, claims, fields.data)
  // A token without a key may no longer continue its session.
  const mayBeNobody = request.features.ports.binding !== undefined && claims.cnf === undefined
  const known = mayBeNobody ? await claimedStanding(request, claims) : undefined
  if (known?.isNobody) return 'nobody'
  if (known?.isOver || (await refreshOwn(request, claims)) === 'over') return 'over'
  return 'data' in fields
    ? updateSession(request, claims, fields.data, known)
    : renewSession(request, claims, known)
}

async function answer(
  request: AuthRequest,
  current: GoodSession,
  renewal: Renewal,
): Promise<Outcome> {
  // KV may not show a new record everywhere yet: only the ledger's answer removes the cookie.
  if (renewal === 'unknown') return lastKnown(request, current)
  if (renewal === 'nobody') return nobody(request)
  if (renewal === 'over') {
    clearSessionCookie(request)
    return nobody(request)
  }
  await setSessionCookie(request, renewal)
  const fresh = toSession(renewal)
  await emit(request, 'session', { session: fresh })
  return json(fresh)
}

function lastKnown(request: AuthRequest, { state, session }: GoodSession): Outcome {
  return state === 'live' ? json(session) : nobody(request)
}

function nobody(request: AuthRequest): Outcome {
  return request.features.ports.absentSession?.nobody(request) ?? json(null)
}

/** Near its end a token is renewed, unless the session ends with it and cannot be extended. */
function isDue(request: AuthRequest, { state, claims }: GoodSession): boolean {
  if (state === 'expired') return true
  // A later end takes a proof of its browser's key.
  if (claims.cnf) return false
  const { config } = request
  const now = config.now()
  if (!isNearEnd(claims, now, config.session.tokenMaxAge)) return false
  return claims.exp < claims.sexp || sessionEnd(request, now / 1000, beganAt(claims)) > claims.sexp
}
