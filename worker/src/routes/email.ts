import type { ResolvedEmailProvider } from '../config/email-provider.js'
import { type SafeRedirect, sealedRedirect } from '../config/safe-redirect.js'
import { CredentialsSignin, InvalidCheck, Verification } from '../errors.js'
import { answerPost, type Fields, type Form } from '../http/body.js'
import { csrfToken } from '../http/csrf.js'
import { waitToMail, waitToTryCode } from '../http/limits.js'
import { leadingTo, type Outcome, redirect, showPage, tooManyAttempts } from '../http/outcome.js'
import type { AuthRequest } from '../http/request.js'
import { ownPage } from '../http/targets.js'
import { ConfirmPage } from '../pages/confirm-page.js'
import { VerifyRequestPage } from '../pages/verify-request-page.js'
import { nameOfDevice } from '../session/device.js'
import {
  type EmailFlow,
  findMailed,
  ledgerKey,
  type Redeemed,
  redeemCode,
  redeemLink,
  requestMail,
} from '../sign-in/email/verification.js'
import { finishSignIn } from '../sign-in/finish.js'
import { endFlow, findFlow, flowId } from '../sign-in/flow-cookie.js'
import { LIMITED, showSignIn } from './sign-in-page.js'

/** POST /signin/:provider: mails a link and a code. The answer is the same for every address. */
export async function startEmailSignIn(
  request: AuthRequest,
  provider: ResolvedEmailProvider,
  fields: Fields,
  callbackUrl: SafeRedirect,
): Promise<Outcome> {
  const address = provider.normalize(fields.email)
  if (address === undefined) throw new InvalidAddress('The address is none that mail is sent to.')
  const wait = await waitToMail(request, await ledgerKey(provider.id, address))
  if (wait > 0) {
    return tooManyAttempts(request, wait, callbackUrl, () =>
      showSignIn(request, callbackUrl, LIMITED),
    )
  }
  const flow = await requestMail(request, provider, address, callbackUrl)
  return redirect(ownPage(request, verifyRequestUrl(request, flow).href))
}

/**
 * GET or POST /callback/:provider. A link signs in at once in the browser that asked for it. Anywhere
 * else, where a mail scanner may be looking, it shows a page that asks first, and uses nothing up.
 */
export async function emailCallback(
  request: AuthRequest,
  provider: ResolvedEmailProvider,
): Promise<Outcome> {
  if (request.method === 'HEAD') return { kind: 'empty' }
  if (request.method === 'GET') return openLink(request, provider)
  return answerPost(request, async (form) => {
    const { token } = form.fields
    return typeof token === 'string'
      ? finish(request, await redeemLink(request, provider, token))
      : enterCode(request, provider, form)
  })
}

/** GET /verify-request: asks for the code, in the browser that a mail was asked for in. */
export async function verifyRequest(request: AuthRequest): Promise<Outcome> {
  const { query } = request
  const id = query.get('flow') ?? ''
  const provider = request.config.usable.get(query.get('provider') ?? '')
  const flow =
    provider?.type === 'email' ? await findFlow<EmailFlow>(request, provider.id, id) : undefined
  const [error, code] = [query.get('error') ?? undefined, query.get('code') ?? undefined]
  return showVerifyRequest(request, flow, { error, code })
}

/** What is typed is no address that mail is sent to. */
class InvalidAddress extends CredentialsSignin {
  override code = 'invalid_address'
}

async function openLink(request: AuthRequest, provider: ResolvedEmailProvider): Promise<Outcome> {
  const { config, original } = request
  const token = request.query.get('token') ?? ''
  const mailed = await findMailed(request, provider, token)
  if (!mailed) throw new Verification('A link was opened that works no longer.')
  const flow = await findFlow<EmailFlow>(request, provider.id, mailed.flow)
  // A browser that looks ahead is not a person who clicked.
  const isAhead = /prefetch|prerender|preview/i.test(
    ['sec-purpose', 'purpose', 'x-purpose', 'x-moz']
      .map((name) => original.headers.get(name))
      .join(),
  )
  if (flow && !isAhead) return finish(request, await redeemLink(request, provider, token))
  const page = ConfirmPage({
    theme: config.theme,
    base: config.basePath,
    provider: provider.id,
    csrfToken: await csrfToken(request),
    callbackUrl: mailed.callbackUrl,
    token,
    address: mailed.address,
    device: nameOfDevice(mailed.device),
    place: mailed.device.place,
  })
  return showPage('Confirm sign-in', page)
}

async function enterCode(
  request: AuthRequest,
  provider: ResolvedEmailProvider,
  { fields, callbackUrl }: Form,
): Promise<Outcome> {
  const [id, code] = [fields.flow, fields.code]
  const flow =
    typeof id === 'string' ? await findFlow<EmailFlow>(request, provider.id, id) : undefined
  if (!flow) throw new InvalidCheck('No mail was asked for in this browser, or too long ago.')
  const wait = await waitToTryCode(request, await ledgerKey(provider.id, flow.address))
  if (wait > 0) {
    return tooManyAttempts(request, wait, callbackUrl, () =>
      showVerifyRequest(request, flow, LIMITED),
    )
  }
  const outcome = await redeemCode(request, provider, flow, typeof code === 'string' ? code : '')
  if (typeof outcome === 'object') return finish(request, outcome)
  const error = new Verification('A code was wrong, or works no longer.')
  error.code = outcome === 'spent' ? 'spent_code' : 'wrong_code'
  return { kind: 'refusal', error, page: verifyRequestUrl(request, flow) }
}

async function finish(request: AuthRequest, redeemed: Redeemed | undefined): Promise<Outcome> {
  if (!redeemed) throw new Verification('A link was used that works no longer.')
  const { mailed, signedIn } = redeemed
  const target = sealedRedirect(mailed.callbackUrl)
  return leadingTo(target, async () => {
    const flow = await findFlow<EmailFlow>(request, signedIn.account.provider, mailed.flow)
    if (flow) endFlow(request, flow)
    return finishSignIn(request, signedIn, target)
  })
}

async function showVerifyRequest(
  request: AuthRequest,
  flow: EmailFlow | undefined,
  said: { readonly error: string | undefined; readonly code: string | undefined },
): Promise<Outcome> {
  const { config, origin } = request
  if (config.pages.verifyRequest !== undefined) {
    const own = verifyRequestUrl(request, flow)
    for (const [name, value] of Object.entries(said)) {
      if (value !== undefined) own.searchParams.set(name, value)
    }
    return redirect(ownPage(request, own.href))
  }
  const page = VerifyRequestPage({
    ...said,
    theme: config.theme,
    base: config.basePath,
    csrfToken: await csrfToken(request),
    callbackUrl: flow?.callbackUrl ?? `${origin}/`,
    asked: flow && { provider: flow.provider, flow: flowId(flow), address: flow.address },
  })
  const status = said.error === 'Verification' ? 403 : 200
  return showPage('Check your e-mail', page, status)
}

/** The page that asks for the code. A flow's id is no secret: without its cookie it opens nothing. */
function verifyRequestUrl(request: AuthRequest, flow: EmailFlow | undefined): URL {
  const { pages } = request.config
  const url = new URL(ownPage(request, pages.verifyRequest ?? `${request.issuer}/verify-request`))
  if (flow) {
    url.searchParams.set('provider', flow.provider)
    url.searchParams.set('flow', flowId(flow))
  }
  return url
}
