import type { SessionClaims, SessionNeeds } from '@latchkey/session'
import { isEnough } from '@latchkey/session/issue'
import type { SafeRedirect } from '../../config/safe-redirect.js'
import type { Fields } from '../../http/body.js'
import { json, leadingTo, type Outcome, redirect } from '../../http/outcome.js'
import { answerPost } from '../../http/post.js'
import { type AuthRequest, isJson } from '../../http/request.js'
import { ownPage, withNeeds } from '../../http/targets.js'
import { hasProvedHere, signedIn } from '../../session/read.js'

/** The most age of a sign-in that may change the ways to sign in. Seconds. */
const MAX_AGE = 5 * 60

/** A POST of a person who has signed in lately. */
export interface FreshForm {
  readonly fields: Fields
  /** The person, by the ledger's word too. */
  readonly asker: SessionClaims
  /** The target: the page of the account, if the form names nothing. */
  readonly target: SafeRedirect
  /** How fresh and how strong a sign-in it asks for. */
  readonly needs: SessionNeeds
}

/**
 * Answers a POST of a user who has signed in within the last five minutes. Another request leads to the sign-in,
 * and from there to the target of the form; nothing is posted again.
 *
 * @throws {StoreUnavailable}
 */
export function answerFreshPost(
  request: AuthRequest,
  handle: (form: FreshForm) => Outcome | Promise<Outcome>,
): Promise<Outcome> {
  return answerPost(request, ({ fields, callbackUrl, needs }) => {
    const target = callbackUrl ?? ownPage(request, `${request.issuer}/account`)
    return leadingTo(target, async () => {
      const asker = await signedIn(request)
      if (!asker || !isLately(request, asker)) return signInFirst(request, target)
      return handle({ fields, asker, target, needs })
    })
  })
}

/** Did the person sign in here within the last five minutes? */
export function isLately(request: AuthRequest, claims: SessionClaims): boolean {
  return (
    isEnough(claims, request.config.now(), { maxAge: MAX_AGE }) && hasProvedHere(request, claims)
  )
}

/**
 * Leads to the sign-in page, or tells a script to.
 *
 * @param acr the strength that the sign-in needs, if the session has less
 */
export function signInFirst(request: AuthRequest, target: SafeRedirect, acr?: '2'): Outcome {
  const needs = { maxAge: MAX_AGE, ...(acr ? { acr } : {}) }
  const page = withNeeds(new URL(`${request.issuer}/signin`), needs)
  page.searchParams.set('callbackUrl', target)
  const url = ownPage(request, page.href)
  if (!isForScript(request)) return redirect(url)
  return json({ error: 'FreshSignInRequired', ...needs, url }, 401)
}

/** A script cannot use a page. */
function isForScript(request: AuthRequest): boolean {
  return request.wantsJson || isJson(request, 'content-type') || isJson(request, 'accept')
}
