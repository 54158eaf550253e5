import type { SessionClaims } from '@latchkey/session'
import type { SafeRedirect } from '../config/safe-redirect.js'
import { InvalidCheck, InvalidConfiguration } from '../errors.js'
import { demandOf } from '../factors/demand.js'
import { checkCookieName, ownCookieName } from '../http/cookies.js'
import { renewCsrfToken } from '../http/csrf.js'
import { rememberDevice } from '../http/device-cookie.js'
import { checkIssuer } from '../http/known-origin.js'
import { rememberWay } from '../http/last-way.js'
import { logEvent } from '../http/log-event.js'
import { type Outcome, redirect } from '../http/outcome.js'
import { type AuthRequest, nowInSeconds } from '../http/request.js'
import { ownPage, resolveCallbackUrl } from '../http/targets.js'
import type { ReadPerson } from '../person/documents.js'
import { wayOf } from '../person/way-document.js'
import { keepAdded } from '../provider-tokens/added.js'
import { connect } from '../provider-tokens/connections.js'
import { keptTokens } from '../provider-tokens/kept-tokens.js'
import { askSignIn, emit, type SignedIn } from '../session/callbacks.js'
import { clearSessionCookie, setSessionCookie, startSession } from '../session/issue.js'
import { isGood, readSessions } from '../session/read.js'
import { proveAgain } from '../session/renew.js'
import { deleteRecord, revokeSession } from '../session/revoke.js'
import { addWay } from '../ways/add.js'
import { type FoundWay, findPerson } from '../ways/find-person.js'
import { asksWhoIsNew, firstSignIn } from '../ways/first-sign-in.js'
import { traceSignIn } from '../ways/signed-in-here.js'
import type { Claim } from '../ways/subject-claim.js'
import { tellAgain } from '../ways/tell.js'
import { noteUse } from '../ways/used.js'
import { checkAgain } from './again.js'
import { type FactorFlow, keepSignIn } from './kept-sign-in.js'

/**
 * What follows every proof: finds the person, asks the app, and signs them in.
 *
 * @param proved who the account says that they are
 * @param found what the ledger knows of their way, told by the call that used up the proof
 * @param limited the person's key in the ledger, where tries to sign in as them are counted: from now on
 *   this browser's count apart
 * @param begin writes down who is new here, when the app has agreed
 */
export async function finishSignIn(
  request: AuthRequest,
  proved: SignedIn,
  found: FoundWay,
  target: SafeRedirect,
  limited?: string,
  begin?: (signedIn: SignedIn) => Promise<ReadPerson>,
): Promise<Outcome> {
  if (request.asker) return finishAdding(request, request.asker, proved, found, target)
  const { signedIn, known, given } = await findPerson(request, proved, found)
  const { userId: sub, provider } = signedIn.account
  request.attempt = { provider, sub }
  checkIssuer(request)
  await checkAgain(request, sub)
  const elsewhere = await askSignIn(request, signedIn)
  if (elsewhere !== undefined) {
    await logEvent(request, { event: 'sign-in-refused', sub, provider, by: 'callback' })
    return redirect(await resolveCallbackUrl(request, elsewhere))
  }
  const demand = await demandOf(request, signedIn, known?.person)
  const asksWhether = (given ? !known?.person : !known) && asksWhoIsNew(request)
  const claim = await given?.claim(asksWhether)
  const who = asksWhether ? { ...signedIn, mayBeNew: true as const } : signedIn
  if (demand) return keepSignIn(request, who, target, demand, limited)
  const read = begin ? await begin(signedIn) : known
  return completeSignIn(request, who, target, { limited, known: read, claim })
}

/**
 * What follows a second factor: the sign-in that waited for it is completed. The app was asked before.
 *
 * @param methods what `amr` gains
 * @param known the person as this request knows them
 * @throws {InvalidCheck} it counts no more
 */
export function finishKept(
  request: AuthRequest,
  signedIn: SignedIn,
  { limited }: FactorFlow,
  target: SafeRedirect,
  methods: readonly string[],
  known?: ReadPerson,
): Promise<Outcome> {
  const first = signedIn.amr ?? ([signedIn.account.provider] as const)
  const both = { ...signedIn, amr: [...first, ...methods] as const }
  const hasCode = methods.length > 0
  return completeSignIn(request, both, target, { limited, known, hasCode })
}

/** What is known of a person before they are signed in. */
interface Before {
  /** Their key in the ledger, where tries to sign in as them are counted. */
  readonly limited: string | undefined
  readonly known: ReadPerson | undefined
  readonly claim?: Claim | undefined
  /** Was a second factor part of the sign-in? */
  readonly hasCode?: boolean
}

/**
 * The last step of every sign-in: starts the session, ends those of before, redirects the browser. Where somebody
 * has proved once more who they are, their session goes on instead.
 */
async function completeSignIn(
  request: AuthRequest,
  signedIn: SignedIn,
  target: SafeRedirect,
  { limited, known, claim, hasCode }: Before,
): Promise<Outcome> {
  const { userId: sub, provider } = signedIn.account
  const asker = await checkAgain(request, sub)
  const proved = asker && !request.again?.isOrdinary && (await proveIn(request, asker, signedIn))
  if (proved) {
    await setSessionCookie(request, proved)
    if (limited !== undefined) await rememberDevice(request, limited, sub, hasCode)
    await noteSignIn(request, signedIn, known)
    await logEvent(request, { event: 'step-up', sub, provider })
    return redirect(target)
  }
  const { all } = await readSessions(request)
  const previous = all.filter(isGood)
  await traceSignIn(request, signedIn)
  const first = signedIn.mayBeNew && (await firstSignIn(request, signedIn, claim))
  const isNewUser = first !== undefined
  const claims = await switchSession(request, { ...signedIn, isNewUser }, previous).catch(
    async (error: unknown) => {
      await first?.undo()
      throw error
    },
  )
  await setSessionCookie(request, claims)
  await renewCsrfToken(request)
  if (limited !== undefined) await rememberDevice(request, limited, sub, hasCode)
  rememberWay(request, provider)
  for (const { claims } of previous) {
    const ended = { sub: claims.sub, which: 'one', by: 'sign-in' } as const
    await logEvent(request, { event: 'sessions-ended', ...ended })
  }
  await noteSignIn(request, signedIn, known)
  await logEvent(request, { event: 'sign-in', sub, provider })
  const { user, account, profile } = signedIn
  await emit(request, 'signIn', { user, account, ...(profile ? { profile } : {}), isNewUser })
  return redirect((isNewUser && pageOfNew(request, target)) || target)
}

/** What the person's document is to know of a sign-in, where they have one. */
async function noteSignIn(
  request: AuthRequest,
  { account, way, ...rest }: SignedIn,
  known: ReadPerson | undefined,
): Promise<void> {
  if (way !== undefined) await noteUse(request, way, { account, way, ...rest }, known)
  if (known?.person) await tellAgain(request, account.userId, known.person)
}

/**
 * Signing in while signed in switches the session: the earlier ones must not go on unnoticed. If they cannot be
 * ended nothing is switched, so this comes before the cookie.
 */
async function switchSession(
  request: AuthRequest,
  signedIn: SignedIn,
  previous: readonly { readonly claims: SessionClaims }[],
): Promise<SessionClaims> {
  const claims = await startSession(request, signedIn)
  try {
    const endings = previous.map((one) => revokeSession(request, one.claims))
    await Promise.all([...endings, request.oldSessions?.end(request)])
    return claims
  } catch (error) {
    // Nobody gets its cookie, so it is not listed as a session either.
    deleteRecord(request, claims)
    throw error
  }
}

/** The app's page for who is new, which leads on. */
function pageOfNew(request: AuthRequest, target: SafeRedirect): SafeRedirect | undefined {
  const { newUser } = request.config.pages
  if (newUser === undefined) return undefined
  const page = new URL(ownPage(request, newUser))
  page.searchParams.set('callbackUrl', target)
  return ownPage(request, page.href)
}

/**
 * The session of a person who has proved once more who they are, with the new proof in its token. Tokens of a
 * provider are kept as in a sign-in for who has several ways; who has one keeps those that the session began with.
 *
 * @returns `undefined`: nothing is left of it to go on with, so that they are signed in as anybody
 * @throws {InvalidCheck} the session has ended meanwhile
 * @throws {StoreUnavailable} @throws {CallbackFailed}
 */
async function proveIn(
  request: AuthRequest,
  asker: SessionClaims,
  { account, way, isAlone, amr }: SignedIn,
): Promise<SessionClaims | undefined> {
  const { userId: sub, provider } = account
  const auth_time = request.came ?? nowInSeconds(request)
  const proved = await proveAgain(request, asker, { auth_time, amr: amr ?? [provider] })
  if (proved === 'over') {
    clearSessionCookie(request)
    throw new InvalidCheck('The session ended before its person had proved who they are.')
  }
  if (proved === 'unknown') return undefined
  if (way !== undefined && !isAlone) {
    await connect(request, { sub, way, provider }, keptTokens(account))
  }
  return proved
}

/** The last step where a way is added: nobody is signed in, and the session stays as it is. */
async function finishAdding(
  request: AuthRequest,
  asker: SessionClaims,
  proved: SignedIn,
  { document }: FoundWay,
  target: SafeRedirect,
): Promise<Outcome> {
  const { sub } = asker
  const { provider } = proved.account
  request.attempt = { provider, sub }
  const signedIn: SignedIn = {
    ...proved,
    user: { ...proved.user, id: sub },
    account: { ...proved.account, userId: sub },
  }
  const elsewhere = await askSignIn(request, signedIn)
  if (elsewhere !== undefined) {
    await logEvent(request, { event: 'sign-in-refused', sub, provider, by: 'callback' })
    return redirect(await resolveCallbackUrl(request, elsewhere))
  }
  const way = wayOf(proved.account)
  await addWay(request, asker, signedIn, { way, document })
  await keepAdded(request, asker, { sub, way, provider }, proved.account)
  return redirect(target)
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
