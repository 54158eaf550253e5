import type { SessionClaims } from '@latchkey/session'
import { acrOf, isFresh } from '@latchkey/session/internal'
import type { SafeRedirect } from '../config/safe-redirect.js'
import { isAsStrong } from '../features/second-factor/demand.js'
import { isStrong } from '../features/ways/strength.js'
import type { Fields } from '../http/body.js'
import { json, leadingTo, type Outcome, redirect } from '../http/outcome.js'
import { answerPost } from '../http/post.js'
import { type AuthRequest, isJson, nowInSeconds } from '../http/request.js'
import { ownPage, withNeeds } from '../http/targets.js'
import type { Person } from '../person/documents.js'
import { hasMovedIn } from '../session/moved-in.js'
import { signedIn } from '../session/read.js'

/** How long ago the sign-in may be of who changes what lets people in. Seconds. */
const MAX_AGE = 5 * 60

/** A POST of a person who has signed in lately. */
interface FreshForm {
  readonly fields: Fields
  /** The person, by the ledger's word too. */
  readonly asker: SessionClaims
  /** Where it leads: the page of the account, where it names nothing. */
  readonly target: SafeRedirect
}

/**
 * Answers a POST of a person who has signed in within the last five minutes. Anybody else is led to sign in,
 * and from there to where the form would have led; nothing is posted again.
 *
 * @throws {StoreUnavailable}
 */
export function answerFreshPost(
  request: AuthRequest,
  handle: (form: FreshForm) => Outcome | Promise<Outcome>,
): Promise<Outcome> {
  return answerPost(request, ({ fields, callbackUrl }) => {
    const target = callbackUrl ?? ownPage(request, `${request.issuer}/account`)
    return leadingTo(target, async () => {
      const asker = await signedIn(request)
      if (!asker || !isLately(request, asker)) return signInFirst(request, target)
      request.asker = asker
      return handle({ fields, asker, target })
    })
  })
}

/**
 * Answers such a POST where the person has proved themselves by two factors, or by a passkey that counts for both; or where
 * nothing of theirs gives that yet: whoever is signed in as them could remove what waits, and add it as the first one.
 *
 * @param handle is told whether that is so of the person as it finds them
 */
export function answerStrongPost(
  request: AuthRequest,
  handle: (form: FreshForm, isEnough: (person: Person) => boolean) => Outcome | Promise<Outcome>,
): Promise<Outcome> {
  return answerFreshPost(request, async (form) => {
    if (!(await isAsStrong(request, form.asker))) return signInFirst(request, form.target, '2')
    const isTwo = acrOf(form.asker.amr) === '2'
    return handle(form, (person) => isTwo || !isStrong(person, nowInSeconds(request)))
  })
}

/** Did the person sign in here within the last five minutes? */
export function isLately(request: AuthRequest, claims: SessionClaims): boolean {
  return isFresh(claims, request.config.now(), MAX_AGE) && !hasMovedIn(request, claims)
}

/**
 * Leads to the sign-in page, or tells a script to.
 *
 * @param acr how well the person is to sign in, where that is better than they have
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
