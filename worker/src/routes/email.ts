import type { ResolvedEmailProvider } from '../config/email-provider.js'
import type { SafeRedirect } from '../config/safe-redirect.js'
import { CredentialsSignin, InvalidCheck, Verification } from '../errors.js'
import { type Fields, readPost } from '../http/body.js'
import { csrfToken } from '../http/csrf.js'
import { waitToMail, waitToTryCode } from '../http/limits.js'
import { errorOn, ownPage, redirect, showPage, tooManyAttempts } from '../http/reply.js'
import type { AuthContext, RequestScope } from '../http/scope.js'
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
  c: AuthContext,
  provider: ResolvedEmailProvider,
  fields: Fields,
  callbackUrl: SafeRedirect,
): Promise<Response> {
  const address = provider.normalize(fields.email)
  if (address === undefined) throw new InvalidAddress('The address is none that mail is sent to.')
  const wait = await waitToMail(c.env, await ledgerKey(provider.id, address))
  if (wait > 0) return tooManyAttempts(c, wait, () => showSignIn(c, LIMITED))
  const flow = await requestMail(c.env, provider, address, callbackUrl)
  return redirect(c, ownPage(c.env, verifyRequestUrl(c.env, flow).href))
}

/**
 * GET or POST /callback/:provider. A link signs in at once in the browser that asked for it. Anywhere
 * else, where a mail scanner may be looking, it shows a page that asks first, and uses nothing up.
 */
export async function emailCallback(
  c: AuthContext,
  provider: ResolvedEmailProvider,
): Promise<Response> {
  if (c.req.method === 'HEAD') return c.body(null)
  if (c.req.method === 'GET') return openLink(c, provider)
  const fields = await readPost(c)
  return typeof fields.token === 'string'
    ? finish(c, await redeemLink(c.env, provider, fields.token))
    : enterCode(c, provider, fields)
}

/** GET /verify-request: asks for the code, in the browser that a mail was asked for in. */
export async function verifyRequest(c: AuthContext): Promise<Response> {
  const { query } = c.env
  const id = query.get('flow') ?? ''
  const provider = c.env.config.usable.get(query.get('provider') ?? '')
  const flow =
    provider?.type === 'email' ? await findFlow<EmailFlow>(c.env, provider.id, id) : undefined
  const [error, code] = [query.get('error') ?? undefined, query.get('code') ?? undefined]
  return showVerifyRequest(c, flow, { error, code })
}

/** What is typed is no address that mail is sent to. */
class InvalidAddress extends CredentialsSignin {
  override code = 'invalid_address'
}

async function openLink(c: AuthContext, provider: ResolvedEmailProvider): Promise<Response> {
  const { config } = c.env
  const token = c.env.query.get('token') ?? ''
  const mailed = await findMailed(c.env, provider, token)
  if (!mailed) throw new Verification('A link was opened that works no longer.')
  const flow = await findFlow<EmailFlow>(c.env, provider.id, mailed.flow)
  // A browser that looks ahead is not a person who clicked.
  const isAhead = /prefetch|prerender|preview/i.test(
    ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'].map((name) => c.req.header(name)).join(),
  )
  if (flow && !isAhead) return finish(c, await redeemLink(c.env, provider, token))
  const page = ConfirmPage({
    theme: config.theme,
    base: config.basePath,
    provider: provider.id,
    csrfToken: await csrfToken(c.env),
    callbackUrl: mailed.callbackUrl,
    token,
    address: mailed.address,
    device: nameOfDevice(mailed.device),
    place: mailed.device.place,
  })
  return showPage(c.env, 'Confirm sign-in', page)
}

async function enterCode(
  c: AuthContext,
  provider: ResolvedEmailProvider,
  fields: Fields,
): Promise<Response> {
  const [id, code] = [fields.flow, fields.code]
  const flow =
    typeof id === 'string' ? await findFlow<EmailFlow>(c.env, provider.id, id) : undefined
  if (!flow) throw new InvalidCheck('No mail was asked for in this browser, or too long ago.')
  const wait = await waitToTryCode(c.env, await ledgerKey(provider.id, flow.address))
  if (wait > 0) return tooManyAttempts(c, wait, () => showVerifyRequest(c, flow, LIMITED))
  const outcome = await redeemCode(c.env, provider, flow, typeof code === 'string' ? code : '')
  if (typeof outcome === 'object') return finish(c, outcome)
  const error = new Verification('A code was wrong, or works no longer.')
  error.code = outcome === 'spent' ? 'spent_code' : 'wrong_code'
  return errorOn(c, error, verifyRequestUrl(c.env, flow))
}

async function finish(c: AuthContext, redeemed: Redeemed | undefined): Promise<Response> {
  if (!redeemed) throw new Verification('A link was used that works no longer.')
  const { mailed, signedIn } = redeemed
  // Checked when it was sealed.
  const target = mailed.callbackUrl as SafeRedirect
  c.set('callbackUrl', target)
  const { provider } = signedIn.account
  const flow = await findFlow<EmailFlow>(c.env, provider, mailed.flow)
  if (flow) endFlow(c.env, flow)
  return finishSignIn(c, signedIn, target)
}

async function showVerifyRequest(
  c: AuthContext,
  flow: EmailFlow | undefined,
  said: { readonly error: string | undefined; readonly code: string | undefined },
): Promise<Response> {
  const { config, origin } = c.env
  if (config.pages.verifyRequest !== undefined) {
    const own = verifyRequestUrl(c.env, flow)
    for (const [name, value] of Object.entries(said)) {
      if (value !== undefined) own.searchParams.set(name, value)
    }
    return redirect(c, ownPage(c.env, own.href))
  }
  const page = VerifyRequestPage({
    ...said,
    theme: config.theme,
    base: config.basePath,
    csrfToken: await csrfToken(c.env),
    callbackUrl: flow?.callbackUrl ?? `${origin}/`,
    asked: flow && { provider: flow.provider, flow: flowId(flow), address: flow.address },
  })
  const status = said.error === 'Verification' ? 403 : 200
  return showPage(c.env, 'Check your e-mail', page, status)
}

/** The page that asks for the code. A flow's id is no secret: without its cookie it opens nothing. */
function verifyRequestUrl(scope: RequestScope, flow: EmailFlow | undefined): URL {
  const { pages } = scope.config
  const url = new URL(ownPage(scope, pages.verifyRequest ?? `${scope.issuer}/verify-request`))
  if (flow) {
    url.searchParams.set('provider', flow.provider)
    url.searchParams.set('flow', flowId(flow))
  }
  return url
}
