import type { SessionClaims } from '@latchkey/session'
import { InvalidCheck, TooManyAttempts } from '../errors.js'
import { renewCsrfToken } from '../http/csrf.js'
import { checkIssuer } from '../http/known-origin.js'
import { logEvent } from '../http/log-event.js'
import { attempting, type Outcome, redirect } from '../http/outcome.js'
import type { Purpose } from '../http/purpose.js'
import { type AuthRequest, nowInSeconds } from '../http/request.js'
import { resolveCallbackUrl } from '../http/targets.js'
import { readPerson } from '../person/documents.js'
import type { Claim, FoundWay, ReadPerson } from '../person/found-way.js'
import type { Begun } from '../service/session-hooks.js'
import { askSignIn, emit } from '../session/callbacks.js'
import {
  type Approved,
  clearSessionCookie,
  setSessionCookie,
  startSession,
} from '../session/issue.js'
import { isGood, readSessions } from '../session/read.js'
import { proveStepUp } from '../session/renew.js'
import { deleteRecord, revokeSession } from '../session/revoke.js'
import type { SignedIn } from '../session/signed-in.js'
import { approve, checkBlocked } from './approve.js'
import { identifyByAccount } from './identity.js'
import { checkStepUp, checkStrength } from './step-up.js'

/** The most sessions that begin for a person in a minute, which this process counts: all verifiers hear when one ends. */
const MAX_SIGN_INS = 300

/**
 * Runs after every proof: finds the person, asks the app, and signs them in.
 *
 * @param proved the person as the account describes them
 * @param entrance the ledger's documents about their way, from the call that used up the proof
 * @param limited the person's key in the ledger, where tries to sign in as them are counted: from
 * now on those of this browser apart
 * @param begin records a new person, when the app has agreed
 */
export async function finishSignIn(
  request: AuthRequest,
  proved: SignedIn,
  entrance: FoundWay,
  purpose: Purpose,
  limited?: string,
  begin?: (signedIn: SignedIn) => Promise<ReadPerson>,
): Promise<Outcome> {
  const { features } = request
  if (purpose.features) {
    const instead = await features.instead(request, { proved, entrance, purpose })
    if (instead) return instead
    throw new InvalidCheck('A flow that a feature began for something else signs nobody in.')
  }
  const detour = !purpose.stepUp && (await features.detour(request, { proved, entrance, purpose }))
  if (detour) return detour
  const byFeature = await features.identify(request, proved, entrance)
  const identified = byFeature ?? (await identifyByAccount(request, proved, entrance))
  const { signedIn, document: known, claim: claimFor } = identified
  const { userId: sub, provider } = signedIn.account
  return attempting({ provider, sub }, async () => {
    checkIssuer(request)
    // If the ledger does not know the account, its person has no document. But a feature may have
    // named another person.
    const document = known ?? (byFeature && (await readPerson(request, sub)))
    checkBlocked(document)
    checkStepUp(purpose, sub)
    const elsewhere = await askApp(request, signedIn)
    if (elsewhere) return elsewhere
    const isUnknown = claimFor ? !known?.person : !known
    const mayBeNew = isUnknown && features.asksFirst
    const who = mayBeNew ? { ...signedIn, mayBeNew } : signedIn
    const answer = await approve(request, { signedIn: who, document, purpose })
    if (answer.kind === 'approved') checkStrength(purpose, who)
    const claim = await claimFor?.(mayBeNew)
    // Also if the sign-in waits: the way that the person has just made must sign in as them
    // afterwards.
    const read = begin ? await begin(signedIn) : document
    if (answer.kind === 'waits') return answer.wait({ purpose, limited })
    return completeSignIn(request, answer.signedIn, purpose, { limited, document: read, claim })
  })
}

/**
 * The last step of every sign-in: starts the session, ends the browser's previous ones, redirects
 * the browser. In a step-up the session goes on instead.
 */
export async function completeSignIn(
  request: AuthRequest,
  signedIn: Approved,
  purpose: Purpose,
  {
    claim,
    ...before
  }: Pick<Begun, 'document' | 'limited'> & { readonly claim?: Claim | undefined },
): Promise<Outcome> {
  const { features } = request
  const { target, asker, stepUp } = purpose
  const { userId: sub, provider } = signedIn.account
  if (purpose.features) {
    const instead = await features.completed(request, signedIn, purpose)
    if (instead) return instead
    throw new InvalidCheck('A flow that a feature began for something else signs nobody in.')
  }
  // `otp` after the first method stands for a code of a second factor.
  const begun = { ...before, hasCode: signedIn.amr?.includes('otp', 1) === true }
  const isStepUp = asker && stepUp && !stepUp.isOrdinary
  const proved = isStepUp && (await proveIn(request, asker, signedIn))
  if (proved) {
    await setSessionCookie(request, proved)
    await features.ports.binding?.offer(request, proved)
    await features.begun(request, signedIn, { ...begun, isFirst: false, wasHere: true })
    await logEvent(request, { event: 'step-up', sub, provider })
    return redirect(target)
  }
  const { wait } = await request.counts.admit(
    `sign-ins of ${sub}`,
    MAX_SIGN_INS,
    nowInSeconds(request),
  )
  if (wait > 0) {
    const error = new TooManyAttempts('A person signs in too often.')
    throw Object.assign(error, { retryAfter: wait })
  }
  const { all } = await readSessions(request)
  const previous = all.filter(isGood)
  await features.beginning(request, signedIn)
  const first = signedIn.mayBeNew && (await features.first(request, signedIn, claim))
  const isNewUser = first !== undefined
  const claims = await switchSession(request, { ...signedIn, isNewUser }, previous).catch(
    async (error: unknown) => {
      if (first) await first.undo()
      throw error
    },
  )
  await setSessionCookie(request, claims)
  await features.ports.binding?.offer(request, claims)
  await renewCsrfToken(request)
  for (const { claims } of previous) {
    const ended = { sub: claims.sub, which: 'one', by: 'sign-in' } as const
    await logEvent(request, { event: 'sessions-ended', ...ended })
  }
  const wasHere = previous.some(({ claims }) => claims.sub === sub)
  await features.begun(request, signedIn, { ...begun, isFirst: isNewUser, wasHere })
  features.marked(request, provider)
  await logEvent(request, { event: 'sign-in', sub, provider })
  const { user, account, profile } = signedIn
  await emit(request, 'signIn', { user, account, ...(profile ? { profile } : {}), isNewUser })
  return redirect(first?.page(target) || target)
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
    await Promise.all([...endings, request.features.switched(request)])
    return claims
  } catch (error) {
    // No browser gets its cookie, so it is not listed as a session either.
    deleteRecord(request, claims)
    throw error
  }
}

/**
 * The session after a step-up, with the new proof in its token.
 *
 * @returns `undefined`: the session cannot go on, so that an ordinary sign-in begins a new one
 * @throws {InvalidCheck} the session has ended meanwhile
 * @throws {StoreUnavailable} @throws {CallbackFailed}
 */
async function proveIn(
  request: AuthRequest,
  asker: SessionClaims,
  signedIn: Approved,
): Promise<SessionClaims | undefined> {
  const { account, amr = [account.provider], authTime = request.came } = signedIn
  const proved = await proveStepUp(request, asker, { auth_time: authTime, amr })
  if (proved === 'over') {
    clearSessionCookie(request)
    throw new InvalidCheck('The session ended before its person had proved who they are.')
  }
  if (proved === 'unknown' || proved === 'nobody') return undefined
  await request.features.proved(request, signedIn, asker)
  await request.features.ports.binding?.proved(request, proved)
  return proved
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
  addedTo?: string,
): Promise<Outcome | undefined> {
  const elsewhere = await askSignIn(request, signedIn, addedTo === undefined ? {} : { addedTo })
  if (elsewhere === undefined) return undefined
  const { userId: sub, provider } = signedIn.account
  await logEvent(request, { event: 'sign-in-refused', sub, provider, by: 'callback' })
  return redirect(await resolveCallbackUrl(request, elsewhere))
}
