import type { SessionClaims } from '@latchkey/session'
import { isRecord } from '@latchkey/session/internal'
import { type AuthRequest, nowInSeconds } from '../../http/request.js'
import { digest } from '../../lib/base64url.js'
import { isRevoked, ownerOf } from '../../session/revoke.js'
import type { LedgerDocument, LiveChange, LiveDocument } from '../../stores/ports.js'

/** What a person has let an app do, so that nobody asks them again. */
export interface Consent {
  readonly v: 1
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
}

/** A person's session as the ledger knows it, with what they have let an app do. */
export interface Standing {
  readonly claims: SessionClaims
  readonly consent: Consent | undefined
  /** The version of the document of the consent. */
  readonly version: number
}

/** How often a consent is written again after a faster request. */
const TRIES = 5

async function consentKey(sub: string, app: string, resource: string): Promise<string> {
  return `consent\n${sub}\n${await digest(['latchkey/consent/v1', app, resource], 16)}`
}

/**
 * Asks the ledger, with one call, whether a session lives and what its person has let an app do.
 *
 * @returns `undefined`: the session is over
 * @throws {StoreUnavailable}
 */
export async function readStanding(
  request: AuthRequest,
  claims: SessionClaims,
  app: string,
  resource: string,
): Promise<Standing | undefined> {
  const read = await live(request, claims, await consentKey(claims.sub, app, resource))
  if (read.isOver) return undefined
  return { claims, consent: consentIn(read.document), version: versionIn(read) }
}

/**
 * Keeps a consent, if the person's session lives: in the same step, so that none is kept of a person who has been erased, or
 * taken in by another one, meanwhile.
 *
 * @param version of the document as it was read
 * @returns `false`: the session is over
 * @throws {StoreUnavailable}
 */
export async function keepConsent(
  request: AuthRequest,
  claims: SessionClaims,
  given: Omit<Consent, 'v' | 'since'>,
  before: Pick<Standing, 'version' | 'consent'>,
): Promise<boolean> {
  const key = await consentKey(claims.sub, given.app, given.resource)
  let { version, consent: known } = before
  for (let tries = 0; tries < TRIES; tries++) {
    const content = JSON.stringify(together(known, given, nowInSeconds(request)))
    const read = await live(request, claims, key, { version, content })
    if (read.isOver || read.isChanged) return !read.isOver
    version = versionIn(read)
    known = consentIn(read.document)
  }
  // Others keep it meanwhile, so that one of them counts.
  return true
}

/** The version that the next change names. A consent that was removed lately has one too. */
function versionIn({ document, deleted }: LiveDocument): number {
  return document?.version ?? deleted ?? 0
}

/** If an app has another name now, an earlier consent does not count. */
function together(
  known: Consent | undefined,
  given: Omit<Consent, 'v' | 'since'>,
  now: number,
): Consent {
  const isSame = known && isOf(known, given)
  const scopes = isSame ? [...new Set([...known.scopes, ...given.scopes])] : given.scopes
  return { v: 1, ...given, scopes, since: isSame ? known.since : now }
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
  return isRecord(content) && content.v === 1 ? (content as unknown as Consent) : undefined
}

async function live(
  request: AuthRequest,
  claims: SessionClaims,
  key: string,
  change?: LiveChange,
): Promise<LiveDocument> {
  const { stores, revocations } = request
  const { ledger } = stores
  if (revocations.has(claims)) return { isOver: true, isChanged: false }
  if (!ledger.liveDocument) {
    return { isOver: await isRevoked(request, claims), isChanged: change !== undefined }
  }
  const read = await ledger.liveDocument(key, { sid: claims.sid, owner: ownerOf(claims) }, change)
  if (read.isOver) revocations.add(claims.sid)
  return read
}
