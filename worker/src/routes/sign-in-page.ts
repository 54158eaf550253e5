import { leadingTo, type Outcome } from '../http/outcome.js'
import type { AuthRequest } from '../http/request.js'
import { resolveCallbackUrl } from '../http/targets.js'
import { showSignIn } from '../sign-in/show-sign-in.js'

/** GET /signin: the sign-in page, or the app's own. */
export async function signInPage(request: AuthRequest): Promise<Outcome> {
  const { query } = request
  const target = await resolveCallbackUrl(request, query.get('callbackUrl') ?? undefined)
  const [error, code] = [query.get('error') ?? undefined, query.get('code') ?? undefined]
  return leadingTo(target, () => showSignIn(request, target, { error, code }))
}
