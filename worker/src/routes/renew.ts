import { redirect, resolveCallbackUrl, toSignIn } from '../http/reply.js'
import type { AuthContext } from '../http/scope.js'
import { clearSessionCookie, setSessionCookie } from '../session/issue.js'
import { readSession } from '../session/read.js'
import { renewSession } from '../session/renew.js'

/**
 * GET /renew: for an app that cannot renew a token itself and sends the browser here. A session that
 * goes on gets a fresh token, and the browser goes back; anybody else goes to the sign-in page.
 */
export async function renew(c: AuthContext): Promise<Response> {
  const asked = c.env.query.get('callbackUrl') ?? undefined
  const target = await resolveCallbackUrl(c.env, asked)
  if (c.req.method === 'HEAD') return c.body(null)
  const found = await readSession(c.env)
  if (!found) return redirect(c, toSignIn(c.env, target))
  const renewal = await renewSession(c.env, found.claims)
  if (renewal === 'over') clearSessionCookie(c.env)
  if (typeof renewal !== 'string') await setSessionCookie(c.env, renewal)
  // A record that cannot be seen yet ends nothing: a token that is still good leads back.
  const goesOn = renewal !== 'over' && (renewal !== 'unknown' || found.state === 'live')
  return redirect(c, goesOn ? target : toSignIn(c.env, target))
}
