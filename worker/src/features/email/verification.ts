import { answerWithin, isRecord } from '@latchkey/session/internal'
import { type AuthError, EmailNotSent, ProviderMisconfigured } from '../../errors.js'
import { wordsFor } from '../../http/locale.js'
import { logEvent, logRefusal } from '../../http/log-event.js'
import type { Attempt } from '../../http/outcome.js'
import { type AuthRequest, type Notice, nowInSeconds, type Purpose } from '../../http/request.js'
import { keepTarget, type StoredTarget } from '../../http/targets.js'
import { digest } from '../../lib/digest.js'
import { hideSecrets, ownDetail, printable } from '../../lib/printable.js'
import { randomToken } from '../../lib/random.js'
import { askSignIn, type SignedIn } from '../../session/callbacks.js'
import { type Device, deviceOf } from '../../session/device.js'
import { subjectOf } from '../../session/subject.js'
import { endFlow, flowId, type StartedFlow, startFlow } from '../../sign-in/flow-cookie.js'
import type { LedgerDocument, Redemption } from '../../stores/ports.js'
import type { VerificationRequest } from '../../types.js'
import { signInMail } from './mail.js'
import { markOf } from './mark.js'
import { noticeMail } from './notice-mail.js'
import type { ResolvedEmailProvider } from './resolve.js'

/** A sign-in by email that was asked for in this browser. */
export interface EmailFlow extends StartedFlow {
  readonly address: string
}

/** The sealed contents of a link. */
export interface Mailed extends StoredTarget {
  readonly address: string
  /** The `sid` of the session that it adds the address to. */
  readonly link?: string
  /** The `sid` of the session whose person proves once more who they are. */
  readonly again?: string
  /** The flow of the browser that asked. */
  readonly flow: string
  readonly device: Device
}

/** The deadline of the app's function that sends. Milliseconds. */
const SEND_TIMEOUT = 10_000

/** The deadline of the app's function that makes a token. Milliseconds. */
const TOKEN_TIMEOUT = 5_000

/** The least life of a flow's cookie, as for every started sign-in. Seconds. */
const LEAST_FLOW_AGE = 15 * 60

/** The time of the answer if the app decides whether a mail is sent. Milliseconds. */
const HIDING_PAUSE = 1_000

/** The part of the ledger that concerns an address: its user's id, so no address is in it. */
export async function ledgerKey(provider: string, address: string): Promise<string> {
  return keyOf(await subjectOf(provider, address))
}

function keyOf(subject: string): string {
  return `email:${subject}`
}

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

/** Does a link work in the browser and session alone that asked for it? */
export function isForSession(token: string): boolean {
  return LINK.exec(token)?.[2] === HERE
}

/** The contents of a link that still works. Reading them uses nothing up. */
export async function findMailed(
  request: AuthRequest,
  provider: ResolvedEmailProvider,
  token: string,
): Promise<Mailed | undefined> {
  const link = await parseLink(request, provider, token)
  const sealed = link && (await request.stores.ledger.findVerification(link.key, link.hash))
  return openMailed(request, provider, sealed)
}

/**
 * Uses up a link. @returns the person that it signs in, for exactly one of any number of callers
 */
export async function redeemLink(
  request: AuthRequest,
  provider: ResolvedEmailProvider,
  token: string,
): Promise<Redeemed | undefined> {
  const link = await parseLink(request, provider, token)
  if (!link) return undefined
  const { ledger } = request.stores
  return redeemed(request, provider, await ledger.redeemVerification(link.key, { link: link.hash }))
}

/**
 * Uses up a code. It works only in the browser that asked for it: the ledger has a hash of it
 * together with the flow's own secret, which no other browser has.
 *
 * @returns the reason why it does not work, or the person that it signs in
 */
export async function redeemCode(
  request: AuthRequest,
  provider: ResolvedEmailProvider,
  flow: EmailFlow,
  code: string,
): Promise<Redeemed | 'wrong' | 'spent'> {
  const key = await ledgerKey(provider.id, flow.address)
  // People copy the gap too.
  const hash = await hashed('code', flow.state, code.replace(/[\s-]/g, ''))
  const redemption = await request.stores.ledger.redeemVerification(key, { code: hash })
  if (redemption.state === 'spent') return 'spent'
  return (await redeemed(request, provider, redemption)) ?? 'wrong'
}

/**
 * Ends a link that was opened by a person who has not asked for it, with the code of the same mail.
 *
 * @returns the person that it would have signed in; `undefined`: it no longer worked
 */
export async function refuseLink(
  request: AuthRequest,
  provider: ResolvedEmailProvider,
  token: string,
): Promise<Mailed | undefined> {
  const mailed = await findMailed(request, provider, token)
  const link = mailed && (await parseLink(request, provider, token))
  if (link) await request.stores.ledger.withdrawVerification(link.key, link.hash)
  return mailed
}

/** A person who has proved that they read the mails of an address. */
export interface Redeemed {
  readonly signedIn: SignedIn
  readonly mailed: Mailed
  /** What the ledger knows of the address. */
  readonly document: LedgerDocument | undefined
}

async function redeemed(
  request: AuthRequest,
  provider: ResolvedEmailProvider,
  redemption: Redemption,
): Promise<Redeemed | undefined> {
  if (redemption.state !== 'redeemed') return undefined
  const { sealed, document } = redemption
  const mailed = await openMailed(request, provider, sealed)
  if (!mailed) return undefined
  const subject = await subjectOf(provider.id, mailed.address)
  const { user, account } = signedInBy(provider, subject, mailed.address)
  return { mailed, signedIn: { user: { ...user, emailVerified: true }, account }, document }
}

async function openMailed(
  request: AuthRequest,
  provider: ResolvedEmailProvider,
  sealed: string | undefined,
): Promise<Mailed | undefined> {
  const content = sealed === undefined ? undefined : await request.keys.verification.open(sealed)
  const isWhole = isRecord(content) && typeof content.address === 'string'
  // The provider's current rules decide, also about a mail that was sent under earlier ones.
  const isAddress = isWhole && provider.normalize(content.address) === content.address
  return isAddress ? (content as unknown as Mailed) : undefined
}

function signedInBy(provider: ResolvedEmailProvider, subject: string, address: string): SignedIn {
  return {
    user: { id: subject, email: address },
    account: {
      provider: provider.id,
      type: provider.type,
      providerAccountId: address,
      userId: subject,
    },
  }
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

async function sendMail(
  request: AuthRequest,
  provider: ResolvedEmailProvider,
  { address, device, link, flow }: Mailed,
  content: { readonly url: string; readonly code: string; readonly expires: Date },
): Promise<void> {
  const { host, hostname } = new URL(request.origin)
  const { theme } = request.config
  const mail = signInMail({
    ...content,
    words: await wordsFor(request),
    from: provider.from ?? `no-reply@${hostname}`,
    to: address,
    mark: markOf(flow),
    now: request.config.now(),
    host,
    device,
    theme,
    isAdding: link !== undefined,
  })
  const purpose = link === undefined ? 'sign-in' : 'add'
  await send(request, provider, { purpose, identifier: address, ...content, mail })
}

/** Tells somebody of a change to their account. @throws {EmailNotSent} */
export async function sendNotice(
  request: AuthRequest,
  provider: ResolvedEmailProvider,
  { to, ...content }: Notice,
): Promise<void> {
  const { host, hostname } = new URL(request.origin)
  const mail = noticeMail({
    ...content,
    words: await wordsFor(request),
    from: provider.from ?? `no-reply@${hostname}`,
    to,
    host,
    device: deviceOf(request.original),
    theme: request.config.theme,
  })
  const url = `${request.issuer}/account`
  const expires = new Date(request.config.now())
  await send(request, provider, { purpose: 'notice', identifier: to, url, code: '', expires, mail })
}

/** @throws {EmailNotSent} */
async function send(
  request: AuthRequest,
  provider: ResolvedEmailProvider,
  content: Omit<VerificationRequest, 'provider' | 'request' | 'theme'>,
): Promise<void> {
  const { theme } = request.config
  const asked = { ...content, provider: provider.config, request: request.original, theme }
  try {
    await answerWithin(SEND_TIMEOUT, provider.send(asked))
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error('unknown')
    // The sender's error may quote its input, whole or in part, in lines or in capitals.
    const secrets = [content.url, content.code, content.identifier]
    const text = hideSecrets(name === 'Error' ? message : `${name}: ${message}`, secrets)
    // The token's parts, and what else may be one: they are never shorter.
    const reason = printable(beginningOf(text).replace(/\S+@\S+|[\w-]{22,}/g, '[hidden]'))
    throw new EmailNotSent('A sign-in mail could not be sent.', {
      cause: ownDetail({ provider: provider.id, reason }),
    })
  }
}

/** In characters. Looking for addresses in a text costs the square of its length. */
const MAX_REASON = 1_000

/** The whole words at the beginning of a foreign text: half of a secret would not be recognized. */
function beginningOf(text: string): string {
  return text.length > MAX_REASON ? text.slice(0, MAX_REASON).replace(/\S+$/, '') : text
}

/**
 * A link's secret. The app's own text comes before ours and never replaces it: an app's text may be
 * the same each time, and then any recipient could open any other person's link.
 *
 * @throws {ProviderMisconfigured}
 */
async function makeToken({ id, makeToken }: ResolvedEmailProvider): Promise<string> {
  const random = randomToken(32)
  if (!makeToken) return random
  const option = `generateVerificationToken of provider "${id}"`
  let token: unknown
  try {
    token = await answerWithin(TOKEN_TIMEOUT, (async () => makeToken())())
  } catch (cause) {
    throw new ProviderMisconfigured(`${option} failed.`, { cause })
  }
  if (typeof token === 'string' && /^[A-Za-z0-9_-]{22,256}$/.test(token)) return token + random
  throw new ProviderMisconfigured(
    `${option} must return 22 to 256 characters of base64url. The six-digit code is made for you.`,
  )
}

/** Six digits, uniformly distributed. */
function randomCode(): string {
  const [number = 0] = crypto.getRandomValues(new Uint32Array(1))
  // Numbers of the last, incomplete million would make small codes likelier.
  const limit = 4_294 * 1_000_000
  return number < limit ? String(number % 1_000_000).padStart(6, '0') : randomCode()
}

async function parseLink(
  request: AuthRequest,
  provider: ResolvedEmailProvider,
  token: string,
): Promise<{ key: string; mark: string; hash: string } | undefined> {
  const [, subject, mark, secret] = LINK.exec(token) ?? []
  if (subject === undefined || mark === undefined || secret === undefined) return undefined
  return { key: keyOf(subject), mark, hash: await linkHash(request, provider, mark, secret) }
}

/** Whom the log names where a link works no longer. */
export function attemptByLink({ id }: ResolvedEmailProvider, token: string): Attempt {
  return { provider: id, claimed: LINK.exec(token)?.[1] }
}

/** Between the two parts of a link's token: where the link works. Versions without ways know the first one only. */
const ANYWHERE = '.'
/** In the browser and session that asked: it adds an address, or proves once more who somebody is. */
const HERE = '~'

const LINK = /^([A-Za-z0-9_-]{22})([.~])([A-Za-z0-9_-]{43,299})$/

/**
 * A link belongs to one provider and mount: another provider may have other rules, and another
 * mount with the same ledger other redirect targets. There it is unknown, so that they do not use
 * it up either.
 */
function linkHash(
  { issuer }: AuthRequest,
  { id }: ResolvedEmailProvider,
  mark: string,
  secret: string,
): Promise<string> {
  return hashed(mark === HERE ? 'add' : 'link', issuer, id, secret)
}

/**
 * SHA-256 suffices for secrets that cannot be guessed; a code is hashed together with such a
 * secret.
 */
function hashed(...parts: readonly string[]): Promise<string> {
  return digest(['latchkey/email/v1', ...parts])
}
