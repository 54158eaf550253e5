import { renewCsrfToken } from '../http/csrf.js'
import { logEvent } from '../http/log-event.js'
import { type Outcome, redirect, showPage } from '../http/outcome.js'
import { formHead } from '../http/page-head.js'
import { answerPost, type Form } from '../http/post.js'
import type { AuthRequest } from '../http/request.js'
import { appPage, resolveCallbackUrl } from '../http/targets.js'
import { SignOutPage } from '../pages/sign-out-page.js'
import { emit } from '../session/callbacks.js'
import { clearSessionCookie } from '../session/issue.js'
import { checkSkipped, isGood, readSession, readSessions } from '../session/read.js'
import { revokeSession } from '../session/revoke.js'

/** GET /signout: asks for confirmation, since a link must not sign anyone out. */
export async function signOutPage(request: AuthRequest): Promise<Outcome> {
  const own = appPage(request, 'signOut')
  if (own !== undefined) return redirect(own)
  const current = await readSession(request)
  const asked = request.query.get('callbackUrl') ?? undefined
  const head = await formHead(request)
  const { words } = head
  const page = SignOutPage({
    ...head,
    callbackUrl: await resolveCallbackUrl(request, asked),
    user: current?.session.user ?? null,
  })
  return showPage(words, words.texts.signOut.title, page)
}

/** POST /signout: ends every session that this browser sends, everywhere, and removes the cookie. */
export function signOut(request: AuthRequest): Promise<Outcome> {
  return answerPost(
    request,
    async ({ callbackUrl }) => {
      const target = callbackUrl ?? (await resolveCallbackUrl(request))
      await endHere(request)
      return redirect(target)
    },
    staleSignOut,
  )
}

/** Ends every session that this browser sends, everywhere, and removes the cookie. @throws {StoreUnavailable} */
export async function endHere(request: AuthRequest): Promise<void> {
  // Otherwise a bound session would come back with its next proof.
  checkSkipped(request)
  const { all } = await readSessions(request)
  await Promise.all(all.map((current) => end(request, current)))
  // Otherwise it would sign the person in again.
  await request.features.ports.absentSession?.end(request)
  clearSessionCookie(request)
  await renewCsrfToken(request)
}

/** If no user is signed in, an earlier form ends like the sign-out. */
async function staleSignOut(
  request: AuthRequest,
  { callbackUrl }: Form,
): Promise<Outcome | undefined> {
  checkSkipped(request)
  const { all } = await readSessions(request)
  if (all.some(isGood) || request.features.ports.absentSession?.mayCome(request)) return undefined
  return redirect(callbackUrl ?? (await resolveCallbackUrl(request)))
}

type BrowserSession = Awaited<ReturnType<typeof readSessions>>['all'][number]

async function end(request: AuthRequest, current: BrowserSession): Promise<void> {
  const { claims, session } = current
  const { sub, amr } = claims
  // A sign-out that failed in one of several objects is finished.
  const revokeAtProvider = isGood(current)
    ? await request.features.ports.tokens.revocation(request, claims)
    : undefined
  await revokeSession(request, claims)
  if (revokeAtProvider) request.waitUntil(revokeAtProvider())
  await logEvent(request, { event: 'sign-out', sub, provider: amr[0] ?? '' })
  if (isGood(current)) await emit(request, 'signOut', { session })
}
