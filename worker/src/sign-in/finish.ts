import type { SafeRedirect } from '../config/safe-redirect.js'
import { renewCsrfToken } from '../http/csrf.js'
import { redirect, resolveCallbackUrl } from '../http/reply.js'
import type { AuthContext } from '../http/scope.js'
import { askSignIn, emit, type SignedIn } from '../session/callbacks.js'
import { setSessionCookie, startSession } from '../session/issue.js'
import { readSession } from '../session/read.js'
import { revokeSession } from '../session/revoke.js'

/** The last step of every sign-in: the app agrees, the session starts, the browser goes on. */
export async function finishSignIn(
  c: AuthContext,
  signedIn: SignedIn,
  target: SafeRedirect,
): Promise<Response> {
  const elsewhere = await askSignIn(c.env, signedIn)
  if (elsewhere !== undefined) return redirect(c, await resolveCallbackUrl(c.env, elsewhere))
  const previous = await readSession(c.env)
  const claims = await startSession(c.env, signedIn)
  // Signing in while signed in switches the session: the one before must not live on unseen. Where
  // it cannot be ended nothing is switched, so this comes before the cookie.
  if (previous) await revokeSession(c.env, previous.claims)
  await setSessionCookie(c.env, claims)
  await renewCsrfToken(c.env)
  const { user, account, profile } = signedIn
  await emit(c.env, 'signIn', { user, account, ...(profile ? { profile } : {}) })
  return redirect(c, target)
}
