import type { Session } from '@latchkey/session'
import { toSession } from '@latchkey/session/issue'
import { CallbackFailed, StoreUnavailable } from '../errors.js'
import { readPost } from '../http/body.js'
import type { AuthContext } from '../http/scope.js'
import { emit } from '../session/callbacks.js'
import { clearSessionCookie, setSessionCookie } from '../session/issue.js'
import { type GoodSession, readSession } from '../session/read.js'
import { sessionEnd } from '../session/record.js'
import { type Renewal, renewSession, updateSession } from '../session/renew.js'
import { isRevoked } from '../session/revoke.js'

/** A token is renewed when less than this part of its life is left, so that readers rarely see one end. */
const RENEW_IN_LAST = 0.2

/**
 * GET /session: who is signed in, or `null`. Touches no store while the token is fresh, unless the
 * caller wants the ledger's word, by `?online=1`, and not what this isolate heard lately.
 */
export async function session(c: AuthContext): Promise<Response> {
  const found = await readSession(c.env)
  if (!found) return sessionJson(null)
  if (c.req.method === 'HEAD') return sessionJson(lastKnown(found))
  const isOnline = c.env.query.get('online') === '1'
  if (isOnline && (await isRevoked(c.env, found.claims))) return answer(c, found, 'over')
  if (!isDue(c, found)) return sessionJson(lastKnown(found))
  try {
    return await answer(c, found, await renewSession(c.env, found.claims))
  } catch (error) {
    // While the token lasts, a fault of a store or of a callback changes nothing for its holder.
    const isFault = error instanceof StoreUnavailable || error instanceof CallbackFailed
    if (!isFault || found.state !== 'live') throw error
    c.env.config.logger.error(error)
    return sessionJson(found.session)
  }
}

/** POST /session: lets the app's callbacks change the session. Without callbacks nothing changes. */
export async function postSession(c: AuthContext): Promise<Response> {
  const fields = await readPost(c)
  const found = await readSession(c.env)
  if (!found) return sessionJson(null)
  return answer(c, found, await updateSession(c.env, found.claims, fields.data))
}

async function answer(c: AuthContext, found: GoodSession, renewal: Renewal): Promise<Response> {
  // KV may not show a new record everywhere yet: only the ledger's word removes the cookie.
  if (renewal === 'unknown') return sessionJson(lastKnown(found))
  if (renewal === 'over') {
    clearSessionCookie(c.env)
    return sessionJson(null)
  }
  await setSessionCookie(c.env, renewal)
  const fresh = toSession(renewal)
  await emit(c.env, 'session', { session: fresh })
  return sessionJson(fresh)
}

function lastKnown({ state, session }: GoodSession): Session | null {
  return state === 'live' ? session : null
}

/** Near its end a token is renewed, unless the session ends with it and cannot be extended. */
function isDue({ env }: AuthContext, { state, claims }: GoodSession): boolean {
  if (state === 'expired') return true
  const now = env.config.now() / 1000
  const isNearEnd = claims.exp - now < (claims.exp - claims.iat) * RENEW_IN_LAST
  return (
    isNearEnd && (claims.exp < claims.sexp || sessionEnd(env, now, claims.auth_time) > claims.sexp)
  )
}

function sessionJson(session: Session | null): Response {
  return new Response(JSON.stringify(session), { headers: SESSION_HEADERS })
}

const SESSION_HEADERS = {
  'content-type': 'application/json',
  'cache-control': 'private, no-store',
}
