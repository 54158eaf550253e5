import type { SessionClaims } from '@latchkey/session'
import { InvalidCheck, UnknownProvider } from '../../errors.js'
import type { Fields } from '../../http/body.js'
import type { ResolvedProvider } from '../../http/kind.js'
import { checkCanFinish } from '../../http/known-origin.js'
import { attempting, type Outcome, redirect, showPage } from '../../http/outcome.js'
import { formHead } from '../../http/page-head.js'
import { answerPost } from '../../http/post.js'
import { type AuthRequest, nowInSeconds } from '../../http/request.js'
import { homeOf, keepTarget, ownPage } from '../../http/targets.js'
import { digest } from '../../lib/base64url.js'
import { companyIn } from '../../lib/company-id.js'
import { readDocument, readPerson } from '../../person/documents.js'
import type { ReadPerson } from '../../person/found-way.js'
import { readWay, wayKey, wayOf } from '../../person/way-document.js'
import type { Proof } from '../../service/sign-in-hooks.js'
import type { SignedIn } from '../../session/signed-in.js'
import { approve, checkBlocked } from '../../sign-in/approve.js'
import { askApp, finishSignIn } from '../../sign-in/finish.js'
import {
  endFlow,
  findFlow,
  flowId,
  newestFlow,
  resuming,
  type StartedFlow,
  startFlow,
} from '../../sign-in/flow-cookie.js'
import { identifyByAccount } from '../../sign-in/identity.js'
import { checkPendingSignIn } from '../../sign-in/pending.js'
import { addWay, isNobodys } from '../ways/add.js'
import { type Joining, joining } from './flow-part.js'
import { JoinPage } from './join-page.js'
import { companiesOf } from './settings.js'

/** A company's sign-in that waits in this browser until its person has said whether they are new. */
interface JoinFlow extends StartedFlow {
  readonly company: string
  /** The address that the company's provider has proved. */
  readonly address: string
}

/** Stands for the provider in the cookie. No path of ours can name it. */
const JOIN = '/company'
/** Seconds. */
const MAX_AGE = 10 * 60
/** The most of a profile and tokens, as JSON. Characters. */
const MAX_KEPT = 256 * 1024

/** The kinds of ways by which a person proves who they were. */
const TYPES: readonly string[] = ['oauth', 'oidc', 'email']

/** The requests in which the person has said that they are new. */
const newcomers = new WeakSet<AuthRequest>()

/** Leads the first sign-in of a company's person to the page that asks whether they have an account here. */
export async function detour(
  request: AuthRequest,
  { proved, entrance, purpose }: Proof,
): Promise<Outcome | undefined> {
  const id = companyIn(proved.account.provider)
  if (id === undefined || newcomers.has(request) || readWay(entrance.document)) return undefined
  const company = await companiesOf(request).byId(request, id)
  if (!company?.asksToJoin) return undefined
  const address = proved.user.email ?? ''
  const start = { provider: JOIN, ...keepTarget(request, purpose.target), company: id, address }
  const needs = { maxAge: purpose.maxAge, acr: purpose.acr }
  const flow: JoinFlow = await startFlow(request, start, needs, MAX_AGE)
  const kept = JSON.stringify({ ...proved, authTime: proved.authTime ?? request.came })
  if (kept.length > MAX_KEPT) throw new InvalidCheck('A profile is too large to wait.')
  const expires = nowInSeconds(request) + MAX_AGE
  const sealer = await request.keys.sealer('company')
  const sealed = await sealer.seal({ kept }, expires)
  const link = await secretOf(flow)
  await request.stores.ledger.startVerification(nameOf(flow), { link, code: link, sealed, expires })
  return redirect(pageOf(request))
}

function pageOf(request: AuthRequest) {
  return ownPage(request, `${request.issuer}/company/join`)
}

function nameOf(flow: StartedFlow): string {
  return `company:${flowId(flow)}`
}

/** The hash of a secret that only the browser's cookie has. */
function secretOf({ state }: StartedFlow): Promise<string> {
  return digest(['latchkey/company-join/v1', state])
}

/** GET /company/join. */
export async function joinPage(request: AuthRequest): Promise<Outcome> {
  const flow = await waitingFlow(request)
  return resuming(request, flow, async (target) => {
    const company = await companiesOf(request).byId(request, flow.company)
    if (!company) throw new InvalidCheck('The company of a sign-in that waited is gone.')
    const head = await formHead(request)
    const { words } = head
    const page = JoinPage({
      ...head,
      name: company.name,
      address: flow.address,
      flow: flowId(flow),
      providers: oldWays(request),
      isUnknown: request.query.get('error') === 'unknown',
      home: homeOf(request, target),
    })
    return showPage(words, words.texts.companies.joinTitle, page)
  })
}

/** POST /company/join. */
export function join(request: AuthRequest): Promise<Outcome> {
  return answerPost(request, async ({ fields }) => {
    const flow = await waitingFlow(request, fields)
    const provider = `company-${flow.company}`
    return attempting({ provider }, () =>
      resuming(request, flow, async (target) => {
        checkCanFinish(request)
        const purpose = { target, maxAge: flow.maxAge, acr: flow.acr }
        if (fields.choice === 'new') {
          const proved = await redeem(request, flow)
          const way = wayOf(proved.account)
          newcomers.add(request)
          const document = await readDocument(request, wayKey(way))
          // The id is theirs by then. From now on this document alone names the person of the way.
          const begin = (signedIn: SignedIn) => noteNewcomer(request, way, signedIn)
          return finishSignIn(request, proved, { document }, purpose, undefined, begin)
        }
        const old = oldWays(request).find(({ id }) => id === fields.choice)
        if (!old) throw new UnknownProvider('A form to join names a way that is not there.')
        const part = joining.with({ flow: flowId(flow), company: flow.company })
        return old.kind.start(request, old, { email: flow.address }, { ...purpose, ...part })
      }),
    )
  })
}

/** The ways by which people may have come here before. */
function oldWays({ providers }: AuthRequest): readonly ResolvedProvider[] {
  return [...providers.usable.values()].filter(({ type }) => TYPES.includes(type))
}

/** The sign-in that waits in this browser: that of the form, or the newest. @throws {InvalidCheck} */
async function waitingFlow(request: AuthRequest, { flow: id }: Fields = {}): Promise<JoinFlow> {
  const isMeant = (flow: JoinFlow) => id === undefined || flowId(flow) === id
  const flow = await newestFlow<JoinFlow>(request, JOIN, isMeant)
  if (flow) return flow
  throw new InvalidCheck(
    'No sign-in of a company waits in this browser, or it waited for too long.',
  )
}

/** Uses up a sign-in that waited, for exactly one of any number of requests. @throws {InvalidCheck} it no longer counts */
async function redeem(request: AuthRequest, flow: JoinFlow): Promise<SignedIn> {
  const { ledger } = request.stores
  const redemption = await ledger.redeemVerification(nameOf(flow), { link: await secretOf(flow) })
  endFlow(request, flow)
  const sealer = await request.keys.sealer('company')
  const opened = redemption.state === 'redeemed' ? await sealer.open(redemption.sealed) : undefined
  if (typeof opened?.kept !== 'string') {
    throw new InvalidCheck('A sign-in of a company was finished before, or waited for too long.')
  }
  const signedIn = JSON.parse(opened.kept) as SignedIn
  const { authTime: came = request.came } = signedIn
  return (await checkPendingSignIn(request, { signedIn, came })).signedIn
}

/** A proof of an old way comes back in the browser in which the company's sign-in waits. @throws {InvalidCheck} */
export async function resumed(request: AuthRequest, part: unknown): Promise<undefined> {
  const flow = await findFlow<JoinFlow>(request, JOIN, (part as Joining).flow)
  if (!flow) throw new InvalidCheck('No sign-in of a company waits in this browser any more.')
}

/** The proof of an old way, which may need a second factor before anything is added to its person. */
export async function joinBy(
  request: AuthRequest,
  { proved, entrance, purpose }: Proof,
): Promise<Outcome | undefined> {
  if (!joining.of(purpose)) return undefined
  const way = proved.way ?? wayOf(proved.account)
  if (await isNobodys(request, proved, way, entrance.document)) {
    return redirect(ownPage(request, `${pageOf(request)}?error=unknown`))
  }
  const { signedIn, document } =
    (await request.features.identify(request, proved, entrance)) ??
    (await identifyByAccount(request, proved, entrance))
  const { userId: sub, provider } = signedIn.account
  return attempting({ provider, sub }, async () => {
    checkBlocked(document)
    const answer = await approve(request, { signedIn, document, purpose })
    if (answer.kind === 'waits') return answer.wait({ purpose, limited: undefined })
    return joinAs(request, answer.signedIn, purpose)
  })
}

/** Adds the company's way to the person who has proved an old one, and signs them in by the company's proof. */
export async function joinAs(
  request: AuthRequest,
  old: SignedIn,
  { target, maxAge, acr, ...rest }: Proof['purpose'],
): Promise<Outcome> {
  const part = joining.of(rest)
  const flow = part && (await findFlow<JoinFlow>(request, JOIN, part.flow))
  if (!flow) throw new InvalidCheck('No sign-in of a company waits in this browser any more.')
  const proved = await redeem(request, flow)
  const way = wayOf(proved.account)
  const sub = old.account.userId
  const document = await readDocument(request, wayKey(way))
  const theirs = {
    ...proved,
    user: { ...proved.user, id: sub },
    account: { ...proved.account, userId: sub },
  }
  const elsewhere = await askApp(request, theirs, sub)
  if (elsewhere) return elsewhere
  await addWay(request, askerOf(request, old), theirs, { way, document })
  const entrance = { document: await readDocument(request, wayKey(way)) }
  return finishSignIn(request, proved, entrance, { target, maxAge, acr })
}

/** The proof of the old way as a session, which it does not get: what adds a way asks for one. */
function askerOf(request: AuthRequest, { user, account, amr }: SignedIn): SessionClaims {
  const now = nowInSeconds(request)
  const { userId: sub, provider } = account
  return {
    iss: request.issuer,
    sub,
    sid: `join-${flowLike(request)}`,
    iat: now,
    exp: now + MAX_AGE,
    auth_time: request.came,
    sexp: now + MAX_AGE,
    amr: amr ?? [provider],
    session: { user: { ...user } },
  }
}

/** No session has such an id. */
function flowLike({ came }: AuthRequest): string {
  return came.toString(36).padStart(20, '0')
}

/** Notes that a person has said that they are new, so that they are not asked again. */
async function noteNewcomer(
  request: AuthRequest,
  way: string,
  { account: { userId: owner } }: SignedIn,
): Promise<ReadPerson> {
  const content = JSON.stringify({ owner, first: true })
  const [before] = await request.stores.ledger.insertDocuments([{ key: wayKey(way), content }])
  const known = readWay(before ?? undefined)
  if (known && !('owner' in known && known.owner === owner)) {
    throw new InvalidCheck('The way of a company is somebody’s since a moment ago.')
  }
  return readPerson(request, owner)
}
