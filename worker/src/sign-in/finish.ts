import type { SessionClaims } from '@latchkey/session'
import type { SafeRedirect } from '../config/safe-redirect.js'
import { AccessDenied, InvalidCheck, InvalidConfiguration } from '../errors.js'
import { checkCookieName, ownCookieName } from '../http/cookies.js'
import { renewCsrfToken } from '../http/csrf.js'
import { hasEndedSince } from '../http/ended-since.js'
import { checkIssuer } from '../http/known-origin.js'
import { logEvent } from '../http/log-event.js'
import { type Outcome, redirect } from '../http/outcome.js'
import type { AuthRequest } from '../http/request.js'
import { ownPage, resolveCallbackUrl } from '../http/targets.js'
import type { Claim } from '../person/claim.js'
import { type ReadPerson, readPerson } from '../person/documents.js'
import type { FoundWay } from '../person/found-way.js'
import type { PendingSignIn } from '../service/feature.js'
import { askSignIn, emit, type SignedIn } from '../session/callbacks.js'
import {
  type Approved,
  clearSessionCookie,
  setSessionCookie,
  startSession,
} from '../session/issue.js'
import { isGood, readSessions } from '../session/read.js'
import { proveStepUp } from '../session/renew.js'
import { deleteRecord, revokeSession } from '../session/revoke.js'
import { approve } from './approve.js'
import { identifyByAccount } from './identity.js'
import { checkStepUp, checkStrength } from './step-up.js'

/**
 * What follows every proof: finds the person, asks the app, and signs them in.
 *
 * @param proved who the account says that they are
 * @param entrance the ledger's documents about their way, from the call that used up the proof
 * @param limited the person's key in the ledger, where tries to sign in as them are counted: from now on
 *   this browser's count apart
 * @param begin records a new person, when the app has agreed
 */
export async function finishSignIn(
  request: AuthRequest,
  proved: SignedIn,
  entrance: FoundWay,
  target: SafeRedirect,
  limited?: string,
  begin?: (signedIn: SignedIn) => Promise<ReadPerson>,
): Promise<Outcome> {
  const { features } = request
  const instead = await features.instead(request, { proved, entrance, target })
  if (instead) return instead
  const byFeature = await features.identify(request, proved, entrance)
  const identified = byFeature ?? (await identifyByAccount(request, proved, entrance))
  const { signedIn, document: known, claim: claimFor } = identified
  const { userId: sub, provider } = signedIn.account
  request.attempt = { provider, sub }
  checkIssuer(request)
  await checkStepUp(request, sub)
  const elsewhere = await askApp(request, signedIn)
  if (elsewhere) return elsewhere
  const isUnknown = claimFor ? !known?.person : !known
  const mayBeNew = isUnknown && features.newcomers?.isAsked(request) === true
  const who = mayBeNew ? { ...signedIn, mayBeNew } : signedIn
  // The person of an account that the ledger does not know has none. A feature may name any person.
  const document = known ?? (byFeature && (await readPerson(request, sub)))
  const approved = await approve(request, { signedIn: who, document })
  if (typeof approved !== 'function') checkStrength(request, approved)
  const claim = await claimFor?.(mayBeNew)
  // Also where it waits: what a person has made signs in as them afterwards.
  const read = begin ? await begin(signedIn) : document
  if (typeof approved === 'function') return approved({ target, limited })
  return completeSignIn(request, approved, target, { limited, document: read, claim })
}

declare const checked: unique symbol

/** A sign-in that has waited and still counts: {@link checkPendingSignIn} alone makes one. */
export interface Checked {
  readonly [checked]: true
}

/**
 * Does a sign-in that has waited still count? Its session begins when it goes on, so that the session's own time would
 * outlive a sign-out everywhere, or an erasure, since the proof.
 *
 * @throws {AccessDenied} @throws {InvalidCheck} it does not @throws {StoreUnavailable}
 */
export async function checkPendingSignIn<Pending extends Pick<PendingSignIn, 'signedIn' | 'came'>>(
  request: AuthRequest,
  pending: Pending,
): Promise<Pending & Checked> {
  const { provider, userId: sub } = pending.signedIn.account
  if (!request.providers.usable.has(provider)) {
    throw new AccessDenied('The provider of a sign-in that waited is not configured any more.')
  }
  if (!(await hasEndedSince(request, sub, pending.came))) return pending as Pending & Checked
  throw new InvalidCheck('A sign-in that waited no longer counts: its person, or the way, is gone.')
}

/**
 * Goes on after the wait of a sign-in, such as for a second factor: it is completed, or waits for
 * the next feature. The app was asked before.
 *
 * @param pending as it was kept
 * @param document the person as this request knows them, by which other features decide
 * @param methods what `amr` gains
 * @throws {InvalidCheck} it no longer counts
 */
export async function finishPendingSignIn(
  request: AuthRequest,
  pending: PendingSignIn & Checked,
  document: ReadPerson,
  methods: readonly string[] = [],
): Promise<Outcome> {
  const { signedIn: waited, target, limited } = pending
  const first = waited.amr ?? ([waited.account.provider] as const)
  const signedIn = { ...waited, amr: [...first, ...methods] as const }
  const approved = await approve(request, { signedIn, document }, pending)
  if (typeof approved === 'function') return approved({ target, limited })
  return completeSignIn(request, approved, target, { limited, document })
}

/** The state of a person before they are signed in. */
interface Before {
  /** Their key in the ledger, where tries to sign in as them are counted. */
  readonly limited: string | undefined
  readonly document: ReadPerson | undefined
  readonly claim?: Claim | undefined
}

/**
 * The last step of every sign-in: starts the session, ends the browser's previous ones, redirects
 * the browser. If the person has only proved once more who they are, their session goes on instead.
 */
async function completeSignIn(
  request: AuthRequest,
  signedIn: Approved,
  target: SafeRedirect,
  { limited, document, claim }: Before,
): Promise<Outcome> {
  const { userId: sub, provider } = signedIn.account
  // A code of a second factor was part of it.
  const hasCode = signedIn.amr?.includes('otp', 1)
  const asker = await checkStepUp(request, sub)
  const proved = asker && !request.stepUp?.isOrdinary && (await proveIn(request, asker, signedIn))
  if (proved) {
    await setSessionCookie(request, proved)
    if (limited !== undefined) {
      await request.features.devices?.remember(request, limited, sub, hasCode)
    }
    await request.features.begun(request, signedIn, document)
    await logEvent(request, { event: 'step-up', sub, provider })
    return redirect(target)
  }
  const { all } = await readSessions(request)
  const previous = all.filter(isGood)
  const { features } = request
  await features.beginning(request, signedIn)
  const first = signedIn.mayBeNew && (await features.newcomers?.first(request, signedIn, claim))
  const isNewUser = first !== undefined
  const claims = await switchSession(request, { ...signedIn, isNewUser }, previous).catch(
    async (error: unknown) => {
      if (first) await first.undo()
      throw error
    },
  )
  await setSessionCookie(request, claims)
  await renewCsrfToken(request)
  if (limited !== undefined) await features.devices?.remember(request, limited, sub, hasCode)
  features.marked(request, provider)
  for (const { claims } of previous) {
    const ended = { sub: claims.sub, which: 'one', by: 'sign-in' } as const
    await logEvent(request, { event: 'sessions-ended', ...ended })
  }
  await features.begun(request, signedIn, document)
  await logEvent(request, { event: 'sign-in', sub, provider })
  const { user, account, profile } = signedIn
  await emit(request, 'signIn', { user, account, ...(profile ? { profile } : {}), isNewUser })
  return redirect((isNewUser && pageOfNew(request, target)) || target)
}

/**
 * Signing in while signed in switches the session: the earlier ones must not go on unnoticed. If they cannot be
 * ended nothing is switched, so this comes before the cookie.
 */
async function switchSession(
  request: AuthRequest,
  signedIn: Approved,
  previous: readonly { readonly claims: SessionClaims }[],
): Promise<SessionClaims> {
  const claims = await startSession(request, signedIn)
  try {
    const endings = previous.map((one) => revokeSession(request, one.claims))
    await Promise.all([...endings, request.features.absentSession?.end(request)])
    return claims
  } catch (error) {
    // Nobody gets its cookie, so it is not listed as a session either.
    deleteRecord(request, claims)
    throw error
  }
}

/** The app's page for a new person, which leads on. */
function pageOfNew(request: AuthRequest, target: SafeRedirect): SafeRedirect | undefined {
  const { newUser } = request.config.pages
  if (newUser === undefined) return undefined
  const page = new URL(ownPage(request, newUser))
  page.searchParams.set('callbackUrl', target)
  return ownPage(request, page.href)
}

/**
 * The session of a person who has proved once more who they are, with the new proof in its token. A
 * person with several ways keeps the provider's tokens as in a sign-in; a person with one way keeps
 * the tokens that the session began with.
 *
 * @returns `undefined`: the session cannot go on, so that an ordinary sign-in begins a new one
 * @throws {InvalidCheck} the session has ended meanwhile
 * @throws {StoreUnavailable} @throws {CallbackFailed}
 */
async function proveIn(
  request: AuthRequest,
  asker: SessionClaims,
  { account, way, isAlone, amr, authTime = request.came }: Approved,
): Promise<SessionClaims | undefined> {
  const { userId: sub, provider } = account
  const proved = await proveStepUp(request, asker, { auth_time: authTime, amr: amr ?? [provider] })
  if (proved === 'over') {
    clearSessionCookie(request)
    throw new InvalidCheck('The session ended before its person had proved who they are.')
  }
  if (proved === 'unknown') return undefined
  if (way !== undefined && !isAlone) {
    const { tokens } = request.features
    await tokens.connect(request, { sub, way, provider }, tokens.toStore(account))
  }
  return proved
}

/**
 * Called before a sign-in starts: one that cannot be finished is not started. Browsers silently
 * drop a cookie for another domain (RFC 6265bis, 5.7): the right password would lead back to the
 * form.
 *
 * @throws {MissingBinding}
 * @throws {InvalidConfiguration}
 */
export function checkCanFinish(request: AuthRequest): void {
  const { config, origin, missingBinding } = request
  if (missingBinding) throw missingBinding
  checkIssuer(request)
  checkCookieName(request, ownCookieName(request, 'sessionToken'))
  const { domain } = config.cookies
  const { hostname } = new URL(origin)
  if (domain && !`.${hostname}`.endsWith(`.${domain.toLowerCase().replace(/^\./, '')}`)) {
    throw new InvalidConfiguration(
      `Browsers drop a cookie for "${domain}" (AUTH_COOKIE_DOMAIN) at "${hostname}", which is not below it.`,
    )
  }
}

/**
 * Asks the app's `signIn` callback whether a person may sign in, or add a way.
 *
 * @returns where the app sends them instead; `undefined`: they may
 * @throws {AccessDenied} the app refuses
 */
export async function askApp(
  request: AuthRequest,
  signedIn: SignedIn,
): Promise<Outcome | undefined> {
  const elsewhere = await askSignIn(request, signedIn)
  if (elsewhere === undefined) return undefined
  const { userId: sub, provider } = signedIn.account
  await logEvent(request, { event: 'sign-in-refused', sub, provider, by: 'callback' })
  return redirect(await resolveCallbackUrl(request, elsewhere))
}
