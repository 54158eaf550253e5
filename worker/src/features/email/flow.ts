import { CredentialsSignin, InvalidCheck, Verification } from '../../errors.js'
import type { Fields } from '../../http/body.js'
import { checkMailedOrigin } from '../../http/known-origin.js'
import { tooManyAttempts } from '../../http/limits.js'
import { wordsFor } from '../../http/locale.js'
import { logEvent } from '../../http/log-event.js'
import { type Attempt, attempting, type Outcome, redirect, showPage } from '../../http/outcome.js'
import { formHead } from '../../http/page-head.js'
import type { Form } from '../../http/post.js'
import type { Purpose } from '../../http/purpose.js'
import { type AuthRequest, looksAhead } from '../../http/request.js'
import { homeOf, openTarget, ownPage } from '../../http/targets.js'
import { subjectOf } from '../../person/subject.js'
import { nameOfDevice } from '../../session/device.js'
import { finishSignIn } from '../../sign-in/finish.js'
import { endFlow, keepingTarget, resuming } from '../../sign-in/flow-cookie.js'
import { LIMITED, showSignIn } from '../../sign-in/show-sign-in.js'
import { answerSignIn } from '../../sign-in/stale-sign-in.js'
import { purposeOf } from '../../sign-in/step-up.js'
import { ConfirmPage, RefusedPage } from './confirm-page.js'
import { waitToMail, waitToTryCode } from './limits.js'
import { attemptByLink, isForSession, ledgerKey } from './link.js'
import { requestMail } from './request-mail.js'
import type { ResolvedEmailProvider } from './resolve.js'
import { findMailed, type Redeemed, redeemCode, redeemLink, refuseLink } from './verification.js'
import { findEmailFlow, showVerifyRequest, verifyRequestUrl } from './verify-request.js'

/** POST /signin/:provider: mails a link and a code. The answer is the same for every address. */
export async function start(
  request: AuthRequest,
  provider: ResolvedEmailProvider,
  fields: Fields,
  purpose: Purpose,
): Promise<Outcome> {
  checkMailedOrigin(request)
  const address = provider.normalize(fields.email)
  if (address === undefined)
    throw new InvalidAddress('The address is not one that mail is sent to.')
  const elsewhere = await request.features.ports.entrance?.instead(request, address, purpose)
  if (elsewhere) return elsewhere
  return attempting(await attemptOf(provider, address), async () => {
    const wait = await waitToMail(request, await ledgerKey(provider.id, address))
    if (wait > 0) {
      const posted = { of: provider.id, fields }
      return tooManyAttempts(request, wait, purpose.target, () =>
        showSignIn(request, purpose, LIMITED, { posted }),
      )
    }
    const flow = await requestMail(request, provider, address, purpose)
    return redirect(ownPage(request, verifyRequestUrl(request, flow).href))
  })
}

/**
 * POST /callback/:provider: a link's secret, from the page that asked first, or a code.
 */
export function confirm(request: AuthRequest, provider: ResolvedEmailProvider): Promise<Outcome> {
  return answerSignIn(request, { provider: provider.id }, async (form) => {
    const { token, refuse: isRefused } = form.fields
    if (typeof token !== 'string') return enterCode(request, provider, form)
    // No page asks about a link that works for one session alone, so no page posts it.
    const flowToken = isForSession(token) ? '' : token
    const attempt = attemptByLink(provider, flowToken)
    return attempting(attempt, async () => {
      if (isRefused) return refuse(request, provider, flowToken, attempt)
      return finish(request, await redeemLink(request, provider, flowToken))
    })
  })
}

/**
 * Ends a link for a person who has not asked for it. The answer is the same whether it worked or
 * not.
 */
async function refuse(
  request: AuthRequest,
  provider: ResolvedEmailProvider,
  token: string,
  attempt: Attempt,
): Promise<Outcome> {
  const isEnded = await refuseLink(request, provider, token)
  if (isEnded) {
    await logEvent(request, { event: 'sign-in-refused', ...attempt, by: 'person' })
  }
  const words = await wordsFor(request)
  const page = RefusedPage({ theme: request.config.theme, words, home: homeOf(request) })
  return showPage(words, words.texts.confirm.refusedTitle, page)
}

/**
 * GET /callback/:provider. A link signs in at once in the browser that asked for it. In any other client,
 * which may be a mail scanner, it shows a page that asks first, and uses nothing up.
 */
export function openLink(request: AuthRequest, provider: ResolvedEmailProvider): Promise<Outcome> {
  const token = request.query.get('token') ?? ''
  return attempting(attemptByLink(provider, token), () => open(request, provider, token))
}

async function open(
  request: AuthRequest,
  provider: ResolvedEmailProvider,
  token: string,
): Promise<Outcome> {
  const mailed = await findMailed(request, provider, token)
  if (!mailed) throw new Verification('A link was opened that works no longer.')
  const flow = await findEmailFlow(request, provider.id, mailed.flow)
  if (mailed.link !== undefined || mailed.again !== undefined) {
    // A page that asks first would have the reader of the mail do it for the person who had it
    // sent.
    if (!flow) throw new Verification('A link of one session was opened elsewhere.')
    if (looksAhead(request)) return { kind: 'empty', status: 503 }
  }
  if (flow && !looksAhead(request)) {
    return keepingTarget(request, flow, async () => {
      const begun = await purposeOf(request, flow)
      return finish(request, await redeemLink(request, provider, token), begun)
    })
  }
  const head = await formHead(request)
  const { words } = head
  const callbackUrl = await openTarget(request, mailed)
  const page = ConfirmPage({
    ...head,
    provider: provider.id,
    callbackUrl,
    home: homeOf(request, callbackUrl),
    token,
    address: mailed.address,
    device: nameOfDevice(mailed.device, words),
    place: mailed.device.place,
  })
  return showPage(words, words.texts.confirm.tab, page)
}

/** The person that the log names if this fails, unless a later step finds the owner. */
async function attemptOf({ id }: ResolvedEmailProvider, address: string): Promise<Attempt> {
  return { provider: id, claimed: await subjectOf(id, address) }
}

/** The typed text is not an acceptable address. */
class InvalidAddress extends CredentialsSignin {
  override code = 'invalid_address'
}

async function enterCode(
  request: AuthRequest,
  provider: ResolvedEmailProvider,
  { fields, callbackUrl }: Form,
): Promise<Outcome> {
  const [id, code] = [fields.flow, fields.code]
  const flow = typeof id === 'string' ? await findEmailFlow(request, provider.id, id) : undefined
  if (!flow) throw new InvalidCheck('No mail was asked for in this browser, or too long ago.')
  return keepingTarget(request, flow, async () => {
    const begun = await purposeOf(request, flow)
    return attempting(await attemptOf(provider, flow.address), async () => {
      const wait = await waitToTryCode(request, await ledgerKey(provider.id, flow.address))
      if (wait > 0) {
        return tooManyAttempts(request, wait, callbackUrl, () =>
          showVerifyRequest(request, flow, LIMITED),
        )
      }
      const typed = typeof code === 'string' ? code : ''
      const outcome = await redeemCode(request, provider, flow, typed)
      if (typeof outcome === 'object') return finish(request, outcome, begun)
      const error = new Verification('A code was wrong, or works no longer.')
      error.code = outcome === 'spent' ? 'spent_code' : 'wrong_code'
      return { kind: 'refusal', error, page: verifyRequestUrl(request, flow) }
    })
  })
}

/** @param begun what the flow was begun for, in the browser that asked for the mail */
async function finish(
  request: AuthRequest,
  redeemed: Redeemed | undefined,
  begun: Omit<Purpose, 'target'> = {},
): Promise<Outcome> {
  if (!redeemed) throw new Verification('A link was used that works no longer.')
  const { mailed, signedIn, document } = redeemed
  if ((mailed.link ?? mailed.again) !== begun.asker?.sid) {
    throw new InvalidCheck('A mail belongs to another session.')
  }
  return resuming(request, { ...mailed, ...begun }, async (target) => {
    const flow = await findEmailFlow(request, signedIn.account.provider, mailed.flow)
    if (flow) endFlow(request, flow)
    const limited = await ledgerKey(signedIn.account.provider, mailed.address)
    return finishSignIn(request, signedIn, { document }, { ...begun, target }, limited)
  })
}
