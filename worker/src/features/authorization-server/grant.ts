import { acrOf } from '@latchkey/session/issue'
import { StoreUnavailable } from '../../errors.js'
import type { Counted } from '../../http/process-counter.js'
import { type AuthRequest, nowInSeconds } from '../../http/request.js'
import { randomToken } from '../../lib/base64url.js'
import { companyOf } from '../../lib/company-id.js'
import type { KeyedDocument, Life } from '../../stores/ledger/types.js'
import { wholeList } from '../../stores/whole-list.js'
import type { Authorization, Code } from './authorization.js'
import { contentOf, type Grant, grantIn, type Uses } from './grant-document.js'
import { ledgerOf } from './grant-ledger.js'
import { stands } from './kept-consents.js'
import { LEASE, tellApps } from './logout/deliver.js'
import { type EndedAtApp, nameOf, putNotices } from './logout/outbox.js'
import { refreshSealer } from './refresh-token.js'
import { serverOf } from './settings.js'

export type { Authorization, Code, Grant }

/** The most grants of one app and person, such as its installations. */
const MAX_OF_APP = 50

/** The most grants of a person: a listing of the ledger has a thousand documents. */
const MAX_OF_PERSON = 500

const DAY = 24 * 60 * 60

/** How long a grant with `offline_access` lasts without a refresh. Seconds. */
const UNUSED = 30 * DAY

/** What names a grant, and says when it is over. */
export type GrantName = Pick<Authorization, 'sub' | 'handle' | 'sid' | 'began' | 'pid'>

/** What became of the first use of an authorization. */
export type Beginning =
  | { readonly state: 'begun'; readonly grant: Grant }
  /** It has begun a grant before, which goes on. */
  | { readonly state: 'known'; readonly grant: Grant }
  /** The grant, or the session that gave it, is over. */
  | { readonly state: 'over' }

/** Draws the handle of a new grant, so that its rows are where its person's are. */
export function drawHandle({ stores }: AuthRequest, sub: string): string {
  return stores.drawSid?.(sub) ?? randomToken(16)
}

/** The most grants that begin for a person in a minute, which this process counts: each above the bounds ends one, for all to hear. */
const MAX_BEGUN = 100

/** May another grant begin for a person? @returns to be taken back if none has */
export function tryGrant(
  request: AuthRequest,
  { sub }: Pick<Authorization, 'sub'>,
): Promise<Counted> {
  return request.counts.admit(`grants of ${sub}`, MAX_BEGUN, nowInSeconds(request))
}

/**
 * Begins a grant: of any number of calls with the same authorization exactly one does, whatever the parallelism. If the
 * answer of the ledger is lost, what it has says whether this call was the one.
 *
 * @throws {StoreUnavailable} it may have begun, or not
 */
export async function beginGrant(
  request: AuthRequest,
  authorization: Authorization,
): Promise<Beginning> {
  const { sub, handle } = authorization
  const now = nowInSeconds(request)
  const [key] = (await refreshSealer(request)).ids
  const { amr } = authorization
  const told = toldOf(request, authorization)
  const facts = { ...authorization, acr: acrOf(amr), ...companyOf(amr), added: now, told }
  const uses: Uses = [{ at: now, key }]
  const content = await contentOf(request, facts, authorization, uses)
  const end = endOf(authorization, now)
  const expires = told ? keptUntil(request, authorization, end) : end
  const change = { version: 0, content, expires }
  const live = () =>
    ledgerOf(request).liveDocument(keyOf(sub, handle), lifeOf(authorization), change)
  // The same again changes nothing more.
  const answer = await live().catch(live)
  if (answer.isOver || !answer.document) return { state: 'over' }
  const grant = grantIn(sub, handle, answer.document)
  if (!answer.isChanged && answer.document.content !== content) return { state: 'known', grant }
  const documents = await listed(request, authorization)
  // Afterwards: an ending meanwhile has seen the grant, or is seen here.
  if (documents && !stands(authorization, documents)) {
    await endGrants(request, sub, [handle])
    return { state: 'over' }
  }
  if (await endsWithSession(request, authorization)) {
    await endGrants(request, sub, [handle])
    return { state: 'over' }
  }
  if (documents) await endUnused(request, grant, documents)
  return { state: 'begun', grant }
}

/** Is the session of a grant over, which nobody could name when it ended? */
async function endsWithSession(
  request: AuthRequest,
  { sub, sid, began, sexp, amr }: Authorization,
): Promise<boolean> {
  if (sid === undefined) return false
  const named = { sub, sid, auth_time: began, sexp, amr, ...companyOf(amr) }
  return (await request.features.ports.logouts?.ends(request, named)) === true
}

/**
 * A grant, if it goes on: by the ledger, with one call.
 *
 * @throws {StoreUnavailable} @throws {DamagedRecord}
 */
export async function readGrant(request: AuthRequest, name: GrantName): Promise<Grant | undefined> {
  const { sub, handle } = name
  const answer = await ledgerOf(request).liveDocument(keyOf(sub, handle), lifeOf(name))
  if (answer.isOver || !answer.document) return undefined
  const grant = grantIn(sub, handle, answer.document)
  return isUnused(request, grant) ? undefined : grant
}

/**
 * The grants of a person. Some may be over: that of a session that has ended stays until the session would have
 * ended by itself. Damaged ones are left out.
 *
 * @throws {StoreUnavailable}
 */
export async function grantsOf(request: AuthRequest, sub: string): Promise<readonly Grant[]> {
  return storedIn(request, sub, await wholeList(ledgerOf(request), sub, ['grant']))
}

/** The grants among documents of a person that are not over by themselves. Damaged ones are left out, and logged. */
export function grantsIn(
  request: AuthRequest,
  sub: string,
  documents: readonly KeyedDocument[],
): readonly Grant[] {
  return storedIn(request, sub, documents).filter((grant) => !isUnused(request, grant))
}

/** Also those that are over by themselves, whose sessions may go on. */
export function storedIn(
  { config }: AuthRequest,
  sub: string,
  documents: readonly KeyedDocument[],
): readonly Grant[] {
  const beginning = keyOf(sub, '')
  return documents.flatMap(({ key, version, content }) => {
    if (!key.startsWith(beginning)) return []
    try {
      return grantIn(sub, key.slice(beginning.length), { version, content })
    } catch (error) {
      config.logger.error(error as Error)
      return []
    }
  })
}

/**
 * Ends grants of one person for good: their tokens are refused everywhere once the feed is heard, and here at once.
 *
 * @param keys of further documents of the person, which are deleted with the same call
 * @param kinds of the person's documents that are asked for afterwards, by the same call if that is possible
 * @returns these; `undefined`: they are to be asked for
 * @throws {StoreUnavailable} perhaps they have ended, or not: it may be called again
 */
export async function endGrants(
  request: AuthRequest,
  sub: string,
  handles: readonly string[],
  keys: readonly string[] = [],
  kinds?: readonly string[],
): Promise<readonly KeyedDocument[] | undefined> {
  const documents = [...handles.map((handle) => keyOf(sub, handle)), ...keys]
  if (documents.length === 0) return undefined
  // Without its document a grant begins no second time, and its access tokens end in five minutes.
  const until = nowInSeconds(request) + DAY
  const left = await ledgerOf(request).endAll(handles, until, documents, kinds && [sub, kinds])
  for (const handle of handles) request.revocations.add(handle)
  return left
}

/**
 * Ends grants of one person that neither the person nor the app has ended: by a bound, or because somebody has stolen a token. If
 * nothing else of the app names the session, the app would not hear of its end any more: a thief could bring that about, and stay
 * signed in there. So it hears now that the session is over.
 *
 * @param all the person's grants, if they are known
 * @throws {StoreUnavailable} it may be called again
 */
export async function endUnasked(
  request: AuthRequest,
  sub: string,
  ended: readonly Grant[],
  all?: readonly Grant[],
): Promise<void> {
  const handles = ended.map(({ handle }) => handle)
  const endings = new Map(ended.flatMap(toldBy).map((one) => [nameOf(one), one]))
  const left = endings.size > 0 ? (all ?? (await grantsOf(request, sub))) : []
  for (const one of left.filter(({ handle }) => !handles.includes(handle)).flatMap(toldBy)) {
    endings.delete(nameOf(one))
  }
  // It is noted before the grants end. No isolate asks the ledger about the session, which goes on here.
  const next = request.config.now() + LEASE
  const rows = await putNotices(request, { sub, endings: [...endings.values()], tries: 1, next })
  await endGrants(request, sub, handles)
  if (rows.length > 0) request.waitUntil(tellApps(request, rows))
}

function toldBy({ app, told, began }: Grant): EndedAtApp | [] {
  return told ? { app, ...told, began } : []
}

/** What the app's ID token says, if the app is to hear that the session has ended. */
function toldOf(
  request: AuthRequest,
  { app, scopes, session }: Pick<Authorization, 'app' | 'scopes' | 'session'>,
): Grant['told'] {
  return hearsLogout(request, app) && scopes.includes('openid')
    ? { iss: request.issuer, sid: session }
    : undefined
}

/** Does an app hear of ended sessions? */
export function hearsLogout(request: AuthRequest, app: string): boolean {
  return serverOf(request).apps.get(app)?.backchannelLogoutUri !== undefined
}

/** When a grant is over by itself. Seconds since the epoch. */
export function endOf({ sid, sexp }: Pick<Grant, 'sid' | 'sexp'>, lastUse: number): number {
  return sid === undefined ? Math.min(lastUse + UNUSED, sexp) : sexp
}

/**
 * Until when the document of a grant is kept whose app has to hear of the end of the session: the session may be extended beyond the
 * grant. Seconds since the epoch.
 *
 * @param end of the grant
 */
export function keptUntil(
  { config }: AuthRequest,
  { began }: Pick<Grant, 'began'>,
  end: number,
): number {
  return Math.max(end, began + config.session.absoluteMaxAge)
}

function isUnused(request: AuthRequest, grant: Grant): boolean {
  return endOf(grant, lastUseOf(grant)) <= nowInSeconds(request)
}

/** When a grant was used last: by its beginning, or a refresh. */
export function lastUseOf({ uses }: Pick<Grant, 'uses'>): number {
  return uses[0].at
}

/** The key of a grant's document. */
export function keyOf(sub: string, handle: string): string {
  return `grant\n${sub}\n${handle}`
}

/** The endings that a grant shares: that of its session, and that of everything that the person began by a time. */
export function lifeOf({ sub, handle, sid, began, pid }: GrantName): Life {
  const owner = { sub, auth_time: began, ...(pid === undefined ? {} : { pid }) }
  return sid === undefined ? { sid: handle, owner } : { sid, also: handle, owner }
}

/**
 * The ledger's documents about the person of a grant that has just begun.
 *
 * @returns `undefined`: a fault leaves the bounds to the next grant
 * @throws {StoreUnavailable} the consent may have ended, so nobody gets the tokens
 */
async function listed(
  request: AuthRequest,
  { sub, rests }: Pick<Authorization, 'sub' | 'rests'>,
): Promise<readonly KeyedDocument[] | undefined> {
  const list = () => wholeList(ledgerOf(request), sub, ['grant', 'consent'])
  try {
    return await list().catch(list)
  } catch (error) {
    if (!(error instanceof StoreUnavailable) || rests) throw error
    request.config.logger.error(error)
    return undefined
  }
}

/** Ends what is above the bounds, since a grant has begun. */
export async function endAbove(request: AuthRequest, begun: Grant): Promise<void> {
  const documents = await listed(request, begun)
  if (documents) await endUnused(request, begun, documents)
}

/** Ends what is above the bounds, those first that were unused for longest. A fault leaves it to the next grant that begins. */
async function endUnused(
  request: AuthRequest,
  begun: Grant,
  documents: readonly KeyedDocument[],
): Promise<void> {
  try {
    const { sub, handle, app } = begun
    const all = storedIn(request, sub, documents).toSorted(
      (one, other) => lastUseOf(other) - lastUseOf(one),
    )
    const others = all.filter((one) => one.handle !== handle)
    const ofApp = others.filter((one) => one.app === app).slice(MAX_OF_APP - 1)
    const rest = others.filter((one) => !ofApp.includes(one)).slice(MAX_OF_PERSON - 1)
    await endUnasked(request, sub, [...ofApp, ...rest], all)
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error
    request.config.logger.error(error)
  }
}
