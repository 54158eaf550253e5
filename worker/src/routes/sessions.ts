import { renewCsrfToken } from '../http/csrf.js'
import { logEvent } from '../http/log-event.js'
import { json, type Outcome, redirect } from '../http/outcome.js'
import { answerPost } from '../http/post.js'
import type { AuthRequest } from '../http/request.js'
import { ownPage, toSignIn } from '../http/targets.js'
import { BadRequest } from '../lib/bad-request.js'
import { emit } from '../session/callbacks.js'
import { endSessions, isSid, type WhichSessions } from '../session/end.js'
import { clearSessionCookie } from '../session/issue.js'
import { listSessions } from '../session/list.js'
import { isGood, readSessions, signedIn } from '../session/read.js'
import { revokeSession } from '../session/revoke.js'

/** GET /sessions: the signed-in user's own sessions, or 401. */
export async function sessions(request: AuthRequest): Promise<Outcome> {
  const claims = await signedIn(request)
  if (!claims) return json({ error: 'SignedOut' }, 401)
  return json({ sessions: await listSessions(request, claims) })
}

/**
 * POST /sessions/revoke: ends one of them, all `others`, or `all`. If nothing ends because the user
 * is signed out already, the answer says so. If this signs the browser out, every session that it
 * sends ends, as in a sign-out.
 */
export function revokeSessions(request: AuthRequest): Promise<Outcome> {
  return answerPost(request, async ({ fields, callbackUrl }) => {
    const which = whichOf(fields.session)
    const target = callbackUrl ?? ownPage(request, `${request.issuer}/account`)
    const { own, all } = await readSessions(request)
    const ending = own ? await endSessions(request, own, which) : 'nothing'
    // Sessions of several people do not count, and a request to end all ends them here.
    if (own ? ending !== 'others' && ending !== 'nobody' : which === 'all') {
      const rest = all.filter((one) => isGood(one) && one.claims.sid !== own?.claims.sid)
      await Promise.all(rest.map(({ claims }) => revokeSession(request, claims)))
      for (const { claims } of rest) {
        const ended = { sub: claims.sub, which: 'one', by: 'person' } as const
        await logEvent(request, { event: 'sessions-ended', ...ended })
      }
      if (all.length > 0) clearSessionCookie(request)
    }
    if (own && which === 'others' && ending === 'others') {
      await request.features.ports.devices?.keep(request, own.claims)
    }
    if (own && ending === 'own') {
      await renewCsrfToken(request)
      await emit(request, 'signOut', { session: own.session })
    }
    if (ending !== 'nothing' && ending !== 'nobody') return redirect(target)
    return request.wantsJson
      ? json({ error: 'SignedOut' }, 401)
      : redirect(toSignIn(request, target))
  })
}

function whichOf(value: unknown): WhichSessions {
  if (value === 'others' || value === 'all') return value
  if (typeof value === 'string' && isSid(value)) return { id: value }
  throw new BadRequest(400, 'Say which session: its id, "others" or "all".')
}
