import { type Outcome, redirect, showPage } from '../../http/outcome.js'
import { formHead } from '../../http/page-head.js'
import type { AuthRequest } from '../../http/request.js'
import { appPage, homeOf, ownPage } from '../../http/targets.js'
import { findFlow, flowId, startOf } from '../../sign-in/flow-cookie.js'
import { countdownScript, hasCountdown } from './countdown.js'
import { markOf } from './mark.js'
import type { ResolvedEmailProvider } from './resolve.js'
import type { EmailFlow } from './verification.js'
import { VerifyRequestPage } from './verify-request-page.js'

/** The sign-in by email that was asked for in this browser. */
export async function findEmailFlow(
  request: AuthRequest,
  provider: string,
  id: string,
): Promise<EmailFlow | undefined> {
  const flow = await findFlow<EmailFlow>(request, provider, id)
  // Another kind of sign-in may have started the flow.
  return typeof flow?.address === 'string' ? flow : undefined
}

/** Before another mail is asked for, since most come within it. Seconds. */
const PAUSE = 20

/**
 * The page that asks for the code, or the app's own; without a flow it only says that a mail was
 * sent.
 */
export async function showVerifyRequest(
  request: AuthRequest,
  flow: EmailFlow | undefined,
  said: { readonly error: string | undefined; readonly code: string | undefined },
): Promise<Outcome> {
  const { config, origin, providers } = request
  if (appPage(request, 'verifyRequest') !== undefined) {
    const own = verifyRequestUrl(request, flow)
    for (const [name, value] of Object.entries(said)) {
      if (value !== undefined) own.searchParams.set(name, value)
    }
    return redirect(ownPage(request, own.href))
  }
  const head = await formHead(request)
  const { words } = head
  const provider = flow && (providers.usable.get(flow.provider) as ResolvedEmailProvider)
  const age = flow ? (config.now() - startOf(flow)) / 1_000 : 0
  const page = VerifyRequestPage({
    ...head,
    ...said,
    home: homeOf(request),
    callbackUrl: flow?.callbackUrl ?? `${origin}/`,
    maxAge: flow?.maxAge,
    acr: flow?.acr,
    asked: flow && {
      provider: flow.provider,
      flow: flowId(flow),
      address: flow.address,
      // A mail that a function of the app sends may have another subject.
      mark: provider?.config.sendVerificationRequest ? undefined : markOf(flowId(flow)),
      isAdding: flow.features !== undefined,
      works: Math.max(0, Math.floor((provider?.maxAge ?? 0) - age)),
      wait: age < PAUSE / 2 ? 20 : age < PAUSE ? 10 : 0,
    },
  })
  const status = said.error === 'Verification' ? 403 : 200
  const scripts = hasCountdown(page) ? [countdownScript] : []
  return showPage(words, words.texts.code.title, page, status, scripts)
}

/** The page that asks for the code. A flow's id is not secret: without its cookie it is useless. */
export function verifyRequestUrl(request: AuthRequest, flow: EmailFlow | undefined): URL {
  const { pages } = request.config
  const url = new URL(ownPage(request, pages.verifyRequest ?? `${request.issuer}/verify-request`))
  if (flow) {
    url.searchParams.set('provider', flow.provider)
    url.searchParams.set('flow', flowId(flow))
  }
  return url
}
