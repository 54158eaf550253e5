import { type Outcome, redirect } from '../http/outcome.js'
import type { AuthRequest } from '../http/request.js'
import { resolveCallbackUrl, toSignIn } from '../http/targets.js'
import { clearSessionCookie, setSessionCookie } from '../session/issue.js'
import { checkSkipped, readSession } from '../session/read.js'
import { renewSession } from '../session/renew.js'

/**
 * GET /renew: for an app that cannot renew a token itself and sends the browser here. A session
 * that goes on gets a fresh token, and the browser is redirected back; any other browser goes to
 * the sign-in page.
 */
export async function renew(request: AuthRequest): Promise<Outcome> {
  const asked = request.query.get('callbackUrl') ?? undefined
  const target = await resolveCallbackUrl(request, asked)
  if (request.method === 'HEAD') return { kind: 'empty' }
  const current = await readSession(request)
  if (!current) {
    checkSkipped(request)
    const hasContinued = await request.features.ports.absentSession?.begin(request)
    return redirect(hasContinued ? target : toSignIn(request, target))
  }
  const renewal = await renewSession(request, current.claims)
  if (renewal === 'over') clearSessionCookie(request)
  if (typeof renewal !== 'string') await setSessionCookie(request, renewal)
  // A record that KV does not show yet ends no session: a token that is still good leads back.
  const isUnknown = renewal === 'unknown' && current.state === 'live'
  const goesOn = typeof renewal !== 'string' || isUnknown
  return redirect(goesOn ? target : toSignIn(request, target))
}
