import { type Attempt, attempting, type Outcome, redirect } from '../http/outcome.js'
import { answerPost, type Form } from '../http/post.js'
import type { AuthRequest } from '../http/request.js'
import { appPage, ownPage, resolveCallbackUrl, withNeeds } from '../http/targets.js'
import { readSession } from '../session/read.js'

/**
 * Answers a POST of a form to sign in, as {@link answerPost} does. A stale form signs no user in.
 * After a mistake the form has the name that the user typed.
 *
 * @param attempt at the provider of the form, if it has one
 */
export async function answerSignIn(
  request: AuthRequest,
  attempt: Attempt | undefined,
  handle: (form: Form) => Outcome | Promise<Outcome>,
): Promise<Outcome> {
  const outcome = await attempting(attempt, () => answerPost(request, handle, staleSignIn))
  if (outcome.kind === 'refusal') await request.features.ports.typed?.keep(request, outcome)
  return outcome
}

/**
 * Answers a form that is older than the session of its browser: the second of two clicks, or
 * another tab's. A signed-in user comes to our page, which offers to continue with this account, or
 * goes on if the app has a page of its own.
 *
 * @returns `undefined` without a user, for a script, which must not take it for a sign-in, and for
 * a person who refuses a mail, and would take it for the end of a link that still works
 */
async function staleSignIn(
  request: AuthRequest,
  { fields, callbackUrl, needs }: Form,
): Promise<Outcome | undefined> {
  if (fields.refuse || request.wantsJson || !(await readSession(request))) return undefined
  const target = callbackUrl ?? (await resolveCallbackUrl(request))
  const isAsked = needs.maxAge !== undefined || needs.acr !== undefined
  if (!isAsked && appPage(request, 'signIn') !== undefined) return redirect(target)
  const page = withNeeds(new URL(`${request.issuer}/signin`), needs)
  page.searchParams.set('callbackUrl', target)
  return redirect(ownPage(request, page.href))
}
