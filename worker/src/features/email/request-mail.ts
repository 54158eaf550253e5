import type { AuthError } from '../../errors.js'
import { logEvent, logRefusal } from '../../http/log-event.js'
import type { Purpose } from '../../http/purpose.js'
import { type AuthRequest, nowInSeconds } from '../../http/request.js'
import { keepTarget } from '../../http/targets.js'
import { subjectOf } from '../../person/subject.js'
import { askSignIn } from '../../session/callbacks.js'
import { deviceOf } from '../../session/device.js'
import type { SignedIn } from '../../session/signed-in.js'
import { endFlow, flowId, startFlow } from '../../sign-in/flow-cookie.js'
import { ANYWHERE, HERE, hashed, keyOf, linkHash, makeToken, randomCode } from './link.js'
import type { ResolvedEmailProvider } from './resolve.js'
import { sendMail } from './send.js'
import { type EmailFlow, type Mailed, signedInBy } from './verification.js'

/** The least life of a flow's cookie, as for every started sign-in. Seconds. */
const LEAST_FLOW_AGE = 15 * 60

/** The time of the answer if the app decides whether a mail is sent. Milliseconds. */
const HIDING_PAUSE = 1_000

/**
 * Mails a link and a code to an address, which replace those of an earlier mail. An address that
 * the app refuses gets the same visible treatment, but no mail.
 *
 * @param address normalised
 * @throws {EmailNotSent} then neither link nor code works
 * @throws {StoreUnavailable}
 */
export async function requestMail(
  request: AuthRequest,
  provider: ResolvedEmailProvider,
  address: string,
  purpose: Purpose,
): Promise<EmailFlow> {
  const { config, stores, keys } = request
  const token = await makeToken(provider)
  const code = randomCode()
  const target = keepTarget(request, purpose.target)
  const start = { provider: provider.id, ...target, address }
  const { asker, stepUp } = purpose
  const age = Math.max(provider.maxAge, LEAST_FLOW_AGE)
  const flow = await startFlow(request, start, purpose, age)
  const subject = await subjectOf(provider.id, address)
  const key = keyOf(subject)
  const expires = nowInSeconds(request) + provider.maxAge
  const device = deviceOf(request.original)
  const session = asker && { [stepUp ? 'again' : 'link']: asker.sid }
  const mailed: Mailed = { address, ...target, ...session, flow: flowId(flow), device }
  const mark = asker ? HERE : ANYWHERE
  const link = await linkHash(request, provider, mark, token)
  await stores.ledger.startVerification(key, {
    link,
    code: await hashed('code', flow.state, code),
    sealed: await keys.verification.seal({ ...mailed }, expires),
    expires,
  })
  const sendIfWelcome = async () => {
    const addedTo = stepUp ? undefined : asker?.sub
    if (!(await isWelcome(request, signedInBy(provider, subject, address), addedTo))) return
    const url = new URL(`${request.issuer}/callback/${provider.id}`)
    url.searchParams.set('token', subject + mark + token)
    const content = { url: url.href, code, expires: new Date(expires * 1000) }
    await sendMail(request, provider, mailed, content)
  }
  let isAnswered = false
  const sent = sendIfWelcome().catch(async (failure: AuthError) => {
    await stores.ledger
      .withdrawVerification(key, link)
      .catch((error: AuthError) => config.logger.error(error))
    if (isAnswered) await logRefusal(request, failure, { provider: provider.id, claimed: subject })
    return failure
  })
  // If the app decides, the answer always takes the same time, whether a mail is sent or not.
  if (config.callbacks.signIn) {
    request.waitUntil(sent)
    await new Promise((resolve) => setTimeout(resolve, HIDING_PAUSE))
  }
  const failure = await (config.callbacks.signIn ? Promise.race([sent, undefined]) : sent)
  isAnswered = true
  if (!failure) return flow
  endFlow(request, flow)
  throw failure
}

async function isWelcome(
  request: AuthRequest,
  signedIn: SignedIn,
  addedTo: string | undefined,
): Promise<boolean> {
  const { provider, userId } = signedIn.account
  const attempt = { provider, claimed: userId }
  const refused = { event: 'sign-in-refused', ...attempt, by: 'callback' } as const
  try {
    const elsewhere = await askSignIn(request, signedIn, {
      email: { verificationRequest: true },
      ...(addedTo === undefined ? {} : { addedTo }),
    })
    if (elsewhere !== undefined) await logEvent(request, refused)
    return elsewhere === undefined
  } catch (error) {
    // Errors of the app are handled like a refusal: any other answer would reveal that it knows the
    // address.
    const { cause, message, type } = error as AuthError
    if (type !== 'AccessDenied' || cause) await logRefusal(request, error as AuthError, attempt)
    else {
      request.config.logger.debug('no mail is sent', { reason: message })
      await logEvent(request, { ...refused, error: type })
    }
    return false
  }
}
