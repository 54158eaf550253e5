import { toSession } from '@latchkey/session/issue'
import { HTTPException } from 'hono/http-exception'
import { readPost } from '../http/body.js'
import { renewCsrfToken } from '../http/csrf.js'
import { ownPage, redirect } from '../http/reply.js'
import type { AuthContext } from '../http/scope.js'
import { emit } from '../session/callbacks.js'
import { clearSessionCookie } from '../session/issue.js'
import { endSessions, listSessions, type WhichSessions } from '../session/list.js'
import { signedIn } from '../session/read.js'

/** GET /sessions: the sessions of whoever asks, or 401. */
export async function sessions(c: AuthContext): Promise<Response> {
  const claims = await signedIn(c.env)
  if (!claims) return c.json({ error: 'SignedOut' }, 401)
  return c.json({ sessions: await listSessions(c.env, claims) })
}

/** POST /sessions/revoke: ends one of them, all `others`, or `all`. */
export async function revokeSessions(c: AuthContext): Promise<Response> {
  const fields = await readPost(c)
  const which = whichOf(fields.session)
  const target = c.get('callbackUrl') ?? ownPage(c.env, `${c.env.issuer}/account`)
  const claims = await signedIn(c.env)
  if (claims && (await endSessions(c.env, claims, which))) {
    clearSessionCookie(c.env)
    await renewCsrfToken(c.env)
    await emit(c.env, 'signOut', { session: toSession(claims) })
  }
  return redirect(c, target)
}

function whichOf(value: unknown): WhichSessions {
  if (value === 'others' || value === 'all') return value
  if (typeof value === 'string' && /^[A-Za-z0-9_-]{22,64}$/.test(value)) return { id: value }
  throw new HTTPException(400, { message: 'Say which session: its id, "others" or "all".' })
}
