import { logEvent } from '../http/log-event.js'
import { type Outcome, redirect } from '../http/outcome.js'
import type { AuthRequest } from '../http/request.js'
import { resolveCallbackUrl } from '../http/targets.js'
import { askSignIn, type SignedIn } from '../session/callbacks.js'

/**
 * Asks the app's `signIn` callback whether a person may sign in, or add a way.
 *
 * @returns where the app sends them instead; `undefined`: they may
 * @throws {AccessDenied} the app refuses
 */
export async function askApp(
  request: AuthRequest,
  signedIn: SignedIn,
): Promise<Outcome | undefined> {
  const elsewhere = await askSignIn(request, signedIn)
  if (elsewhere === undefined) return undefined
  const { userId: sub, provider } = signedIn.account
  await logEvent(request, { event: 'sign-in-refused', sub, provider, by: 'callback' })
  return redirect(await resolveCallbackUrl(request, elsewhere))
}
