import { ageIn } from '../http/age.js'
import { leadingTo, type Outcome, redirect } from '../http/outcome.js'
import type { AuthRequest } from '../http/request.js'
import { resolveCallbackUrl } from '../http/targets.js'
import { isFresh, signedIn } from '../session/read.js'
import { showSignIn } from '../sign-in/show-sign-in.js'
import { ownWays } from '../ways/list.js'

/**
 * GET /signin: the sign-in page, or the app's own. With `maxAge` who has signed in within so many seconds is led
 * on, and anybody else who is signed in is shown their own ways.
 */
export async function signInPage(request: AuthRequest): Promise<Outcome> {
  const { query } = request
  const maxAge = ageIn(query.get('maxAge'))
  request.maxAge = maxAge
  const target = await resolveCallbackUrl(request, query.get('callbackUrl') ?? undefined)
  const [error, code] = [query.get('error') ?? undefined, query.get('code') ?? undefined]
  return leadingTo(target, async () => {
    const claims = maxAge === undefined ? undefined : await signedIn(request)
    if (!claims || maxAge === undefined) return showSignIn(request, target, { error, code })
    if (isFresh(request, claims, maxAge)) return redirect(target)
    const ways = await ownWays(request, claims)
    const own = new Set(ways.map(({ provider }) => provider))
    return showSignIn(request, target, { error, code }, { claims, own })
  })
}
