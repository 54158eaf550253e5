import { isEnough } from '@latchkey/session/issue'
import { leadingTo, type Outcome, redirect } from '../http/outcome.js'
import type { AuthRequest } from '../http/request.js'
import { needsIn, resolveCallbackUrl } from '../http/targets.js'
import { hasProvedHere, signedIn } from '../session/read.js'
import { showSignIn } from '../sign-in/show-sign-in.js'

/**
 * GET /signin: the sign-in page, or the app's own. With `maxAge` or `acr`, a user with a sign-in
 * that is fresh and strong enough gets to the target, and any other signed-in user sees their own
 * ways.
 */
export async function signInPage(request: AuthRequest): Promise<Outcome> {
  const { query, config } = request
  const needs = needsIn((name) => query.get(name))
  const target = await resolveCallbackUrl(request, query.get('callbackUrl') ?? undefined)
  const [error, code] = [query.get('error') ?? undefined, query.get('code') ?? undefined]
  const ways = query.get('ways') === '1' ? { ways: {} } : {}
  const show = async () => {
    const isAsked = needs.maxAge !== undefined || needs.acr !== undefined
    const claims = isAsked ? await signedIn(request) : undefined
    const hasProved = claims && hasProvedHere(request, claims)
    if (hasProved && isEnough(claims, config.now(), needs)) return redirect(target)
    return showSignIn(
      request,
      { target, ...needs },
      { error, code },
      { stepUpClaims: claims, ...ways },
    )
  }
  return leadingTo(target, show, needs)
}
