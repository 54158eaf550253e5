import { type Session, type SessionClaims, toSession } from '@latchkey/session'
import { StoreUnavailable } from '../errors.js'
import { readPost } from '../http/body.js'
import type { AuthContext } from '../http/scope.js'
import { emit, runJwt } from '../session/callbacks.js'
import { clearSessionCookie, setSessionCookie } from '../session/issue.js'
import { type GoodSession, readSession } from '../session/read.js'
import { extendSession, loadSession, renewSession } from '../session/renew.js'

/** A token is renewed when less than this part of its life is left, so that readers rarely see one end. */
const RENEW_IN_LAST = 0.2

/** GET /session: who is signed in, or `null`. Touches no store while the token is fresh. */
export async function session(c: AuthContext): Promise<Response> {
  const found = await readSession(c.env, c.req.header('cookie') ?? null)
  if (!found) return sessionJson(null)
  if (c.req.method === 'HEAD' || !isDue(c, found)) {
    return sessionJson(found.state === 'live' ? found.session : null)
  }
  return renewed(c, found)
}

/** POST /session: lets the app's callbacks change the session. Without callbacks nothing changes. */
export async function updateSession(c: AuthContext): Promise<Response> {
  const fields = await readPost(c)
  const cookie = c.req.header('cookie') ?? null
  const found = await readSession(c.env, cookie)
  const standing = found && (await loadSession(c.env, found.claims))
  if (!standing) return sessionJson(null)
  const { data } = fields
  const token = await runJwt(c.env, { token: standing.token, trigger: 'update', session: data })
  const claims = await extendSession(c.env, standing.record, token, { data })
  return answerFresh(c, cookie, claims)
}

async function renewed(c: AuthContext, found: GoodSession): Promise<Response> {
  const cookie = c.req.header('cookie') ?? null
  let claims: SessionClaims | undefined
  try {
    claims = await renewSession(c.env, found.claims)
  } catch (error) {
    // While the token lasts, a fault of the store changes nothing for its holder.
    if (!(error instanceof StoreUnavailable) || found.state !== 'live') throw error
    c.env.config.logger.error(error)
    return sessionJson(found.session)
  }
  if (claims) return answerFresh(c, cookie, claims)
  // KV may not show a new record everywhere yet: only the ledger's word removes the cookie.
  const { ledger } = c.env.config.stores
  if (await ledger.isRevoked(found.claims.sid)) clearSessionCookie(c.env, cookie)
  return sessionJson(null)
}

async function answerFresh(
  c: AuthContext,
  cookie: string | null,
  claims: SessionClaims,
): Promise<Response> {
  await setSessionCookie(c.env, cookie, claims)
  const fresh = toSession(claims)
  await emit(c.env, 'session', { session: fresh })
  return sessionJson(fresh)
}

function isDue(c: AuthContext, { state, claims }: GoodSession): boolean {
  if (state === 'expired') return true
  const left = claims.exp - c.env.config.now() / 1000
  return left < (claims.exp - claims.iat) * RENEW_IN_LAST && claims.exp < claims.sexp
}

function sessionJson(session: Session | null): Response {
  return new Response(JSON.stringify(session), { headers: SESSION_HEADERS })
}

const SESSION_HEADERS = {
  'content-type': 'application/json',
  'cache-control': 'private, no-store',
}
