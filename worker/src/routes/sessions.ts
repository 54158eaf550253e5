import { toSession } from '@latchkey/session/issue'
import { renewCsrfToken } from '../http/csrf.js'
import { json, type Outcome, redirect } from '../http/outcome.js'
import { answerPost } from '../http/post.js'
import type { AuthRequest } from '../http/request.js'
import { ownPage } from '../http/targets.js'
import { BadRequest } from '../lib/bad-request.js'
import { emit } from '../session/callbacks.js'
import { clearSessionCookie } from '../session/issue.js'
import { endSessions, listSessions, type WhichSessions } from '../session/list.js'
import { signedIn } from '../session/read.js'

/** GET /sessions: the signed-in user's own sessions, or 401. */
export async function sessions(request: AuthRequest): Promise<Outcome> {
  const claims = await signedIn(request)
  if (!claims) return json({ error: 'SignedOut' }, 401)
  return json({ sessions: await listSessions(request, claims) })
}

/** POST /sessions/revoke: ends one of them, all `others`, or `all`. */
export function revokeSessions(request: AuthRequest): Promise<Outcome> {
  return answerPost(request, async ({ fields, callbackUrl }) => {
    const which = whichOf(fields.session)
    const claims = await signedIn(request)
    if (claims && (await endSessions(request, claims, which))) {
      clearSessionCookie(request)
      await renewCsrfToken(request)
      await emit(request, 'signOut', { session: toSession(claims) })
    }
    return redirect(callbackUrl ?? ownPage(request, `${request.issuer}/account`))
  })
}

function whichOf(value: unknown): WhichSessions {
  if (value === 'others' || value === 'all') return value
  if (typeof value === 'string' && /^[A-Za-z0-9_-]{22,64}$/.test(value)) return { id: value }
  throw new BadRequest(400, 'Say which session: its id, "others" or "all".')
}
