import type { SessionClaims, SessionNeeds } from '@latchkey/session'
import { isEnough } from '@latchkey/session/issue'
import { AuthError, SessionUnknown, StoreUnavailable } from '../../errors.js'
import { type Outcome, redirect } from '../../http/outcome.js'
import { type AuthRequest, looksAhead, nowInSeconds } from '../../http/request.js'
import { ownPage, withNeeds } from '../../http/targets.js'
import { endOf } from '../../session/end.js'
import { checkSkipped, hasProvedHere, readUnended } from '../../session/read.js'
import {
  type AuthorizationRequest,
  type Judgement,
  judge,
  type Problem,
  resourceIn,
} from './authorization-request.js'
import { isDocumentUrl } from './client-documents/document-url.js'
import { askForCode, mustAsk } from './consent.js'
import { findApp, findOpenApp } from './find-app.js'
import { giveCode } from './give-code.js'
import { readHint } from './id-token-hint.js'
import { readStanding, type Standing } from './kept-consents.js'
import { refuseOrShow } from './let-in.js'
import { showNowhere } from './nowhere.js'
import { OAuthError } from './oauth-error.js'
import { formText, type Parameters, parametersIn } from './parameters.js'
import { type App, serverOf } from './settings.js'
import { sinceIn, withoutSince, withSince } from './since.js'

/** The longest query. Characters. */
const MAX_QUERY = 2_048

/** The parameters of a request, before anything is known of its app. */
interface Asked {
  /** As the app sent it. */
  readonly query: string
  readonly parameters: Parameters
  /** When the query was first sent, if a sign-in has come between. Seconds since the epoch. */
  readonly since: number | undefined
}

/** GET and POST /oauth/authorize: a browser asks for a code for an app (OAuth 2.1, section 4.1.1). */
export async function authorize(request: AuthRequest): Promise<Outcome> {
  const { method, original } = request
  if (method === 'HEAD') return { kind: 'empty' }
  if (method === 'POST') return fromForm(request)
  // The person's own request follows. No browser shows or keeps an answer with this status.
  if (looksAhead(request)) return { kind: 'empty', status: 503 }
  const start = original.url.indexOf('?') + 1
  const query = start === 0 ? '' : original.url.slice(start)
  return answer(request, withoutSince(query), await sinceIn(request, query))
}

/** A browser sends no session with a POST of another site, and does with a GET. */
async function fromForm(request: AuthRequest): Promise<Outcome> {
  let text: string
  try {
    text = String(new URLSearchParams(await formText(request)))
  } catch (error) {
    if (error instanceof OAuthError) return showNowhere(request)
    throw error
  }
  if (text.length > MAX_QUERY) return answer(request, text, undefined)
  const to = ownPage(request, `${request.issuer}/oauth/authorize?${text}`)
  return { kind: 'redirect', to, status: 303 }
}

async function answer(
  request: AuthRequest,
  query: string,
  since: number | undefined,
): Promise<Outcome> {
  const parameters = parametersIn(query)
  const clientId = parameters?.repeated.has('client_id') ? undefined : parameters?.get('client_id')
  if (!parameters || clientId === undefined) return showNowhere(request)
  const asked: Asked = { query, parameters, since }
  const server = serverOf(request)
  const app = findApp(request, clientId)
  if (!app) return answerOpen(request, asked, clientId)
  const judged = judge(server, request.issuer, app, parameters, query.length > MAX_QUERY)
  return conclude(request, asked, { app, ...judged }, async ({ resource, prompts }) => {
    const current = await readUnended(request)
    // An app that hears that nobody is signed in signs its user out.
    if (!current && prompts.has('none')) checkSkipped(request)
    return current && readStanding(request, current.claims, app, resource)
  })
}

/** For an app that nobody has registered: its document is read for a signed-in person alone. */
async function answerOpen(request: AuthRequest, asked: Asked, clientId: string): Promise<Outcome> {
  const { query, parameters } = asked
  const server = serverOf(request)
  if (!server.isOpen || !isDocumentUrl(clientId)) return showNowhere(request)
  const resource = resourceIn(server, request.issuer, { isFirstParty: false }, parameters)
  const current = await readUnended(request)
  // Without a resource the request is refused, but only its document says where that error may go.
  const named = typeof resource === 'string' ? resource : ''
  const open = { id: clientId, isFirstParty: false, name: '' }
  const standing = current && (await readStanding(request, current.claims, open, named))
  if (!standing) {
    const isSilent = parameters.get('prompt')?.split(' ').includes('none')
    return isSilent || query.length > MAX_QUERY ? showNowhere(request) : signIn(request, asked, {})
  }
  const app = await findOpenApp(request, clientId, standing.claims.sub)
  if (!app) return showNowhere(request)
  const judged = judge(server, request.issuer, app, parameters, query.length > MAX_QUERY)
  return conclude(request, asked, { app, ...judged }, async () => standing)
}

/** @param readPerson the person of this browser, as the ledger knows them */
async function conclude(
  request: AuthRequest,
  asked: Asked,
  judged: Judgement & { readonly app: App },
  readPerson: (request: AuthorizationRequest) => Promise<Standing | undefined>,
): Promise<Outcome> {
  if (judged.kind === 'nowhere') return showNowhere(request)
  if (judged.kind === 'refused') return refuseOrShow(request, judged, judged.problem)
  const good = judged.request
  try {
    return await decideOn(request, asked, good, await readPerson(good))
  } catch (error) {
    const failure =
      error instanceof AuthError ? error : new AuthError('Unexpected failure.', { cause: error })
    if (!(failure instanceof SessionUnknown)) request.config.logger.error(failure)
    const problem = failure instanceof StoreUnavailable ? 'store-failed' : 'fault'
    return refuseOrShow(request, good, problem)
  }
}

async function decideOn(
  request: AuthRequest,
  asked: Asked,
  good: AuthorizationRequest,
  standing: Standing | undefined,
): Promise<Outcome> {
  const { prompts, hint } = good
  const isSilent = prompts.has('none')
  const refuse = (problem: Problem) => refuseOrShow(request, good, problem)
  if (hint !== undefined && !(await isExpected(request, good.app, hint, standing))) {
    return refuse('not-signed-in')
  }
  const needs = needsOf(request, asked, good, standing?.claims)
  if (!standing || needs) {
    if (isSilent) return refuse('not-signed-in')
    return signIn(request, asked, needs ?? {}, good, standing?.claims)
  }
  if (!mustAsk(good, standing.consent)) {
    const given = await giveCode(request, standing.claims, good, standing.rest)
    return given ?? decideOn(request, asked, good, undefined)
  }
  if (isSilent) return refuse('not-consented')
  return askForCode(request, standing, asked.query, good)
}

/** Is it the person of the app's hint, or may they still sign in? A hint that is not ours names nobody. */
async function isExpected(
  request: AuthRequest,
  { id }: App,
  hint: string,
  standing: Standing | undefined,
): Promise<boolean> {
  const expected = await readHint(request, hint)
  if (expected?.app !== id) return false
  return !standing || standing.claims.sub === expected.sub
}

/** A sign-in that was made for a request is fresh as long as it takes a browser to come back. Seconds. */
const WAY_BACK = 30

/** What a person's sign-in lacks. @returns `undefined`: nothing */
function needsOf(
  request: AuthRequest,
  { since }: Asked,
  { prompts, maxAge, acr }: AuthorizationRequest,
  claims: SessionClaims | undefined,
): SessionNeeds | undefined {
  const asked = {
    ...(maxAge === undefined ? {} : { maxAge }),
    ...(acr === '2' ? { acr } : {}),
  }
  // A visitor without a session signs in later than the request in any case.
  if (!claims) return asked
  const needs = prompts.has('login') ? { ...asked, maxAge: 0 } : asked
  const isAsked = Object.keys(needs).length > 0
  if (prompts.has('select_account') && since === undefined) return needs
  if (!isAsked) return undefined
  const { now } = request.config
  const isSince = since !== undefined && claims.auth_time >= since
  const least = isSince && maxAge !== undefined ? Math.max(maxAge, WAY_BACK) : maxAge
  // The address with the mark stays in the browser's history: it counts for the way back alone.
  const age = prompts.has('login') ? WAY_BACK : least
  const isGood =
    hasProvedHere(request, claims) &&
    isEnough(claims, now(), { maxAge: age, acr: needs.acr }) &&
    (isSince || !prompts.has('login'))
  return isGood ? undefined : needs
}

/** The sign-in page, from which a person comes back to this very request. */
async function signIn(
  request: AuthRequest,
  { query, since }: Asked,
  needs: SessionNeeds,
  good?: Pick<AuthorizationRequest, 'prompts' | 'maxAge'>,
  claims?: SessionClaims,
): Promise<Outcome> {
  const { issuer } = request
  const { prompts, maxAge } = good ?? {}
  const isMarked = prompts?.has('login') || prompts?.has('select_account') || maxAge !== undefined
  let came = since
  if (isMarked && came === undefined) {
    // Sign-ins count in whole seconds: one of this second may have come before the request.
    came = nowInSeconds(request)
    if (claims && claims.auth_time >= came) {
      await endOf(request, came)
      came++
    }
  }
  const back = isMarked && came !== undefined ? await withSince(request, query, came) : query
  const page = withNeeds(new URL(`${issuer}/signin`), needs)
  page.searchParams.set('callbackUrl', `${issuer}/oauth/authorize?${back}`)
  return redirect(ownPage(request, page.href))
}
