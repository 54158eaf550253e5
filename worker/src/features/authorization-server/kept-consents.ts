import type { SessionClaims } from '@latchkey/session'
import { isRecord } from '@latchkey/session/internal'
import { StoreUnavailable } from '../../errors.js'
import { type AuthRequest, nowInSeconds } from '../../http/request.js'
import { digest, randomToken } from '../../lib/base64url.js'
import { ownerOf } from '../../session/revoke.js'
import type {
  KeyedDocument,
  LedgerDocument,
  LiveChange,
  LiveDocument,
} from '../../stores/ledger/types.js'
import { ledgerOf } from './grant-ledger.js'
import type { App } from './settings.js'

/** What a person has let an app do. */
export interface Consent {
  /** 1: nobody asks them again. 2: they are asked each time, or never. Versions before read 1 alone. */
  readonly v: 1 | 2
  /** The `client_id`. */
  readonly app: string
  readonly resource: string
  readonly scopes: readonly string[]
  /** The name that the person read. */
  readonly name: string
  /** The redirect URI that the person read, of an app that nobody has registered. */
  readonly redirectUri?: string
  /** When they first let it in. Seconds since the epoch. */
  readonly since: number
  /** Random: a consent may be given again within the second in which one was ended. Left out by versions before, if {@link v} is 1. */
  readonly id?: string
  /** It goes with "everywhere" and a block. */
  readonly outlives?: true
}

/** The app of a consent, and what it may do. */
export type Given = Omit<Consent, 'v' | 'since' | 'id' | 'outlives'>

/**
 * A document on which a decision depends: the last part of its key, and a mark that a later document does not have. Without it the
 * decision no longer counts. So the end of an app, or of all sessions, also ends codes and devices that nobody has fetched yet.
 */
export type Rest = readonly [name: string, mark: string]

/** A person's session as the ledger knows it, with what they have let an app do. */
export interface Standing {
  readonly claims: SessionClaims
  readonly consent: Consent | undefined
  /** The version of the document of the consent. */
  readonly version: number
  /** The document itself; left out: there is none. */
  readonly rest?: Rest | undefined
}

/** How often a consent is written again after a faster request. */
const TRIES = 5

/** All that is kept of people's consents. Its name is part of the key. */
function keyOf(sub: string, name: string): string {
  return `consent\n${sub}\n${name}`
}

function nameOf(app: string, resource: string): Promise<string> {
  return digest(['latchkey/consent/v1', app, resource], 16)
}

/**
 * Asks the ledger, with one call, whether a session lives and what its person has let an app do.
 *
 * @param app one of the service itself is let in by that
 * @returns `undefined`: the session is over
 * @throws {StoreUnavailable}
 */
export async function readStanding(
  request: AuthRequest,
  claims: SessionClaims,
  { id, isFirstParty, name: called }: Pick<App, 'id' | 'isFirstParty' | 'name'>,
  resource: string,
): Promise<Standing | undefined> {
  const name = await nameOf(id, resource)
  const given = { app: id, resource, scopes: [], name: called }
  const read = isFirstParty
    ? await once(request, claims, name, newLetIn(request, given))
    : await live(request, claims, keyOf(claims.sub, name))
  if (read.isOver) return undefined
  const consent = consentIn(read.document)
  const isRemembered = consent?.v === 1
  return {
    claims,
    consent: isRemembered ? consent : undefined,
    version: versionIn(read),
    rest: consent && [name, markOf(consent)],
  }
}

/** What became of a decision. */
export interface Kept {
  readonly rest: Rest
  /** Has the person let the app do more than before? */
  readonly isNew: boolean
}

/**
 * Keeps a consent, if the person's session lives: in the same step, so that none is kept of a person who has been erased, or
 * taken in by another one, meanwhile.
 *
 * @param version of the document as it was read
 * @returns `undefined`: the session is over
 * @throws {StoreUnavailable}
 */
export async function keepConsent(
  request: AuthRequest,
  claims: SessionClaims,
  given: Given,
  before: Pick<Standing, 'version' | 'consent'>,
): Promise<Kept | undefined> {
  const name = await nameOf(given.app, given.resource)
  let { version, consent: known } = before
  for (let tries = 0; tries < TRIES; tries++) {
    const consent = together(known, given, nowInSeconds(request))
    const content = JSON.stringify(consent)
    const isKnown = content === JSON.stringify(known)
    const change = isKnown ? undefined : { version, content }
    const read = await live(request, claims, keyOf(claims.sub, name), change)
    if (read.isOver) return undefined
    if (read.isChanged || (isKnown && read.document?.content === content)) {
      return { rest: [name, markOf(consent)], isNew: read.isChanged }
    }
    version = versionIn(read)
    known = consentIn(read.document)
  }
  // Others keep it meanwhile, so that one of them counts.
  if (!known) throw new StoreUnavailable('A consent is being changed all the time.')
  return { rest: [name, markOf(known)], isNew: false }
}

/**
 * Keeps that an app was let in that is asked about each time, if the person's session lives.
 *
 * @returns `undefined`: the session is over @throws {StoreUnavailable}
 */
export async function letIn(
  request: AuthRequest,
  claims: SessionClaims,
  given: Given,
): Promise<Kept | undefined> {
  const name = await nameOf(given.app, given.resource)
  return keptOnce(request, claims, name, newLetIn(request, given))
}

/**
 * Keeps that a device was let in, for as long as it can fetch its tokens.
 *
 * @param home of its code
 * @param expires seconds since the epoch
 * @returns `undefined`: the session is over @throws {StoreUnavailable}
 */
export async function letDeviceIn(
  request: AuthRequest,
  claims: SessionClaims,
  given: Given,
  { home, expires }: { readonly home: string; readonly expires: number },
): Promise<Kept | undefined> {
  const name = await digest(['latchkey/device-let-in/v1', home], 16)
  const consent = { ...newLetIn(request, given), outlives: true } as const
  return keptOnce(request, claims, name, consent, expires)
}

/**
 * The document on which all rest that a person lets outlive their sessions. It goes with "everywhere" and a block.
 *
 * @returns `undefined`: the session is over @throws {StoreUnavailable}
 */
export async function outliving(
  request: AuthRequest,
  claims: SessionClaims,
): Promise<Rest | undefined> {
  const name = await digest(['latchkey/outliving/v1'], 16)
  const given = { app: '', resource: '', scopes: [], name: '' }
  const consent = { ...newLetIn(request, given), outlives: true } as const
  return (await keptOnce(request, claims, name, consent))?.rest
}

/** Are all documents there on which a decision depends? A decision of an earlier version depends on none. */
export function stands(
  { sub, rests = [] }: { readonly sub: string; readonly rests?: readonly Rest[] | undefined },
  documents: readonly KeyedDocument[],
): boolean {
  return rests.every(([name, mark]) => {
    const consent = consentIn(documents.find(({ key }) => key === keyOf(sub, name)))
    return consent !== undefined && markOf(consent) === mark
  })
}

function newLetIn(request: AuthRequest, given: Given): Consent {
  return { v: 2, ...given, since: nowInSeconds(request), id: randomToken(12) }
}

function markOf({ since, id = `${since}` }: Consent): string {
  return id
}

async function keptOnce(
  request: AuthRequest,
  claims: SessionClaims,
  name: string,
  consent: Consent,
  expires?: number,
): Promise<Kept | undefined> {
  const read = await once(request, claims, name, consent, expires)
  if (read.isOver) return undefined
  // One of a later version, which this one cannot tell from another.
  const kept = consentIn(read.document)
  if (!kept) throw new StoreUnavailable('A consent cannot be read.')
  return { rest: [name, markOf(kept)], isNew: read.isChanged }
}

/** Writes a document unless it is there: with one call, and two if it was deleted lately. */
async function once(
  request: AuthRequest,
  claims: SessionClaims,
  name: string,
  consent: Consent,
  expires?: number,
): Promise<LiveDocument> {
  const key = keyOf(claims.sub, name)
  const content = JSON.stringify(consent)
  const end = expires === undefined ? {} : { expires }
  let read = await live(request, claims, key, { version: 0, content, ...end })
  for (let tries = 1; tries < TRIES && read.deleted !== undefined && !read.isOver; tries++) {
    read = await live(request, claims, key, { version: read.deleted, content, ...end })
  }
  return read
}

/** The version that the next change names. A consent that was removed lately has one too. */
function versionIn({ document, deleted }: LiveDocument): number {
  return document?.version ?? deleted ?? 0
}

/** If an app has another name now, an earlier consent does not count. */
function together(known: Consent | undefined, given: Given, now: number): Consent {
  const isSame = known?.v === 1 && isOf(known, given)
  const scopes = isSame ? [...new Set([...known.scopes, ...given.scopes])] : given.scopes
  const { since, id } = isSame ? known : { since: now, id: randomToken(12) }
  return { v: 1, ...given, scopes, since, ...(id === undefined ? {} : { id }) }
}

/** Is a consent of this very app? One that nobody has registered may have changed since. */
function isOf({ name, redirectUri }: Consent, now: Pick<Consent, 'name' | 'redirectUri'>): boolean {
  if (redirectUri === undefined) return now.redirectUri === undefined
  return redirectUri === now.redirectUri && name === now.name
}

/** @returns `undefined`: there is none, or it is not as this version writes it */
export function consentIn(
  document: Pick<LedgerDocument, 'content'> | undefined,
): Consent | undefined {
  if (typeof document?.content !== 'string') return undefined
  const content: unknown = JSON.parse(document.content)
  const isConsent = isRecord(content) && (content.v === 1 || content.v === 2)
  return isConsent ? (content as unknown as Consent) : undefined
}

async function live(
  request: AuthRequest,
  claims: SessionClaims,
  key: string,
  change?: LiveChange,
): Promise<LiveDocument> {
  const { revocations } = request
  if (revocations.has(claims)) return { isOver: true, isChanged: false }
  const life = { sid: claims.sid, owner: ownerOf(claims) }
  const read = await ledgerOf(request).liveDocument(key, life, change)
  if (read.isOver) revocations.add(claims.sid)
  return read
}
