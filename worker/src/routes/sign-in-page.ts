import { isEnough } from '@latchkey/session/issue'
import { leadingTo, type Outcome, redirect } from '../http/outcome.js'
import type { AuthRequest } from '../http/request.js'
import { needsIn, resolveCallbackUrl } from '../http/targets.js'
import { hasProvedHere, maybeSignedIn } from '../session/read.js'
import { showSignIn } from '../sign-in/show-sign-in.js'

/** A new proof binds the session, if no other one is asked for. Seconds. */
const PROVED_LATELY = 5 * 60

/**
 * GET /signin: the sign-in page, or the app's own. With `maxAge` or `acr`, a user with a sign-in
 * that is fresh and strong enough gets to the target, and any other signed-in user sees their own
 * ways. With `bound=1` the session has to be bound to its browser's device as well.
 */
export async function signInPage(request: AuthRequest): Promise<Outcome> {
  const { query, config } = request
  const needs = needsIn((name) => query.get(name))
  const target = await resolveCallbackUrl(request, query.get('callbackUrl') ?? undefined)
  const [error, code] = [query.get('error') ?? undefined, query.get('code') ?? undefined]
  const ways = query.get('ways') === '1' ? { ways: {} } : {}
  const show = async () => {
    const { binding } = request.features.ports
    const isBinding = binding !== undefined && query.get('bound') === '1'
    const isAsked = needs.maxAge !== undefined || needs.acr !== undefined || isBinding
    const claims = isAsked ? await maybeSignedIn(request) : undefined
    let aim = { target, ...needs }
    const hasProved = claims && hasProvedHere(request, claims)
    if (hasProved && isEnough(claims, config.now(), needs)) {
      if (!isBinding || claims.cnf) return redirect(target)
      const page = await binding.page(request, claims, aim)
      if (page) return page
      aim = { ...aim, maxAge: needs.maxAge ?? PROVED_LATELY }
    }
    return showSignIn(request, aim, { error, code }, { stepUpClaims: claims, ...ways })
  }
  return leadingTo(target, show, needs)
}
