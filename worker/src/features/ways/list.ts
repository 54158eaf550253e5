import type { SessionClaims } from '@latchkey/session'
import { type AuthRequest, nowInSeconds } from '../../http/request.js'
import { digest } from '../../lib/digest.js'
import {
  hasMoved,
  type Person,
  type PersonWay,
  readDocument,
  readPerson,
  type Unconfirmed,
} from '../../person/documents.js'
import { type SessionWay, wayOfRecord, wayOfSession } from '../../person/session-way.js'
import { ownerIn, readWay, wayKey } from '../../person/way-document.js'
import { liveRecords } from '../../session/list.js'
import type { ExportedPasskey, ListedWay } from '../../types/auth-handler.js'
import { openDescribed, shownName } from './description.js'
import { countsFrom, isWaiting } from './strength.js'

/** The same, for the signed-in user. */
export interface OwnWay extends ListedWay {
  /** Did the session that asks begin by it? */
  readonly current: boolean
}

/**
 * The ways of a person, for the operator. If the person has one way, it is known while one of their
 * sessions goes on; an unknown person has none.
 *
 * @throws {StoreUnavailable}
 */
export async function listWays(request: AuthRequest, sub: string): Promise<readonly ListedWay[]> {
  const { person } = await readPerson(request, sub)
  if (person && !hasMoved(person)) {
    return listed(request, await standingWays(request, sub, person))
  }
  const records = await liveRecords(request, sub)
  const opened = await Promise.all(records.map((record) => wayOfRecord(request, record)))
  const ways = new Map(opened.flatMap((one) => (one ? [[one.way, one]] : [])))
  return Promise.all([...ways.values()].map(theOnlyWay))
}

/** The same for the page of the account. */
interface ShownWay extends OwnWay {
  /** For a passkey: is it on other devices too? */
  readonly passkey?: { readonly isSynced: boolean }
  /**
   * For a way that does not count yet: the time from which it does, in ISO 8601; `null`: when it is
   * confirmed.
   */
  readonly waits?: string | null
}

/**
 * What a page tells the browser of a person's passkeys: of each user handle, the credentials that sign in
 * (WebAuthn Level 3, section 5.1.10.3). All ids are in base64url.
 */
interface AcceptedCredentials {
  /** The user handle. People who were merged have several. */
  readonly userId: string
  readonly allAcceptedCredentialIds: readonly string[]
}

/**
 * The ways of the signed-in user, for their account page: if they have one, the one by which the
 * session began.
 *
 * @throws {StoreUnavailable}
 */
export async function shownWays(
  request: AuthRequest,
  claims: SessionClaims,
): Promise<{
  readonly ways: readonly ShownWay[]
  readonly accepted: readonly AcceptedCredentials[]
  /** Where the ledger has a document of them. */
  readonly person: Person | undefined
}> {
  const [read, own] = await Promise.all([
    readPerson(request, claims.sub),
    wayOfSession(request, claims),
  ])
  const person = hasMoved(read.person) ? undefined : read.person
  const current = await idOf(own.way)
  const entries = person ? await standingWays(request, claims.sub, person) : []
  const ways = person ? await listed(request, entries) : [await theOnlyWay(own)]
  const shown = ways.map((way, at) => {
    const { passkey, unconfirmed } = entries[at] ?? {}
    const waits = waitOf(request, { unconfirmed })
    const same = {
      ...way,
      current: way.id === current,
      ...(waits === undefined ? {} : { waits }),
    }
    return passkey ? { ...same, passkey: { isSynced: passkey.bs } } : same
  })
  return { ways: shown, accepted: person ? acceptedOf(person) : [], person }
}

/** Also of a handle whose last passkey was removed. One that is being added is not to be taken away. */
function acceptedOf({ handle, ways }: Person): readonly AcceptedCredentials[] {
  const byHandle = new Map<string, string[]>(handle === undefined ? [] : [[handle, []]])
  for (const { passkey, state } of ways) {
    if (!passkey || state === 'removing') continue
    byHandle.set(passkey.handle, [...(byHandle.get(passkey.handle) ?? []), passkey.id])
  }
  return [...byHandle].map(([userId, ids]) => ({ userId, allAcceptedCredentialIds: ids }))
}

/** The same as `GET /ways` answers it. @throws {StoreUnavailable} */
export async function ownWays(
  request: AuthRequest,
  claims: SessionClaims,
): Promise<readonly OwnWay[]> {
  const { ways } = await shownWays(request, claims)
  return ways.map(({ passkey: _, waits: __, ...way }) => way)
}

/**
 * The passkeys of a person, for the operator.
 * @throws {StoreUnavailable}
 */
export async function passkeysOf(
  request: AuthRequest,
  sub: string,
): Promise<readonly ExportedPasskey[]> {
  const { person } = await readPerson(request, sub)
  if (!person) return []
  const entries = await standingWays(request, sub, person)
  const ways = await listed(request, entries)
  return ways.flatMap(({ provider: _, ...way }, at) => {
    const { passkey } = entries[at] ?? {}
    if (!passkey) return []
    const { aaguid, be, bs, transports = [] } = passkey
    return [{ ...way, aaguid, backupEligible: be, backedUp: bs, transports }]
  })
}

/**
 * The verified addresses of the signed-in user, or of a person with a list.
 * @throws {StoreUnavailable}
 */
export async function addressesOf(
  request: AuthRequest,
  asker: SessionClaims | Pick<SessionClaims, 'sub'>,
): Promise<ReadonlySet<string>> {
  const { person } = await readPerson(request, asker.sub)
  const described =
    person && !hasMoved(person)
      ? await Promise.all(person.ways.map((way) => openDescribed(request, way)))
      : 'sid' in asker
        ? [(await wayOfSession(request, asker)).described]
        : []
  return new Set(described.flatMap(({ address }) => address ?? []))
}

/** A way's id for everybody outside: it does not change, and the way's name cannot be read from it. */
export function idOf(way: string): Promise<string> {
  return digest(['latchkey/way/v1', way], 16)
}

/**
 * The ways that sign in as a person now. A change that failed halfway is judged by the way's own document,
 * by which sign-ins go, so that no way signs in as somebody who does not see it.
 */
async function standingWays(
  request: AuthRequest,
  sub: string,
  { ways }: Person,
): Promise<readonly PersonWay[]> {
  const standing = await Promise.all(ways.map((way) => isStanding(request, sub, way)))
  return ways.filter((_, index) => standing[index])
}

async function isStanding(
  request: AuthRequest,
  sub: string,
  { way, state }: PersonWay,
): Promise<boolean> {
  if (state === undefined) return true
  const owner = ownerIn(readWay(await readDocument(request, wayKey(way))))
  if (owner === undefined || owner === sub) return owner === sub
  // Any request may have announced it last: a sign-in reads only the way and its owner.
  const { person } = await readPerson(request, owner)
  return person?.mergedInto === sub && !hasMoved(person)
}

function listed(request: AuthRequest, ways: readonly PersonWay[]): Promise<readonly ListedWay[]> {
  return Promise.all(
    ways.map(async (entry) => {
      const { way, provider, added, used } = entry
      const name = shownName(way, await openDescribed(request, entry))
      return { id: await idOf(way), provider, name, added: iso(added), lastUsed: iso(used) }
    }),
  )
}

async function theOnlyWay({ way, provider, described }: SessionWay): Promise<ListedWay> {
  const name = shownName(way, described)
  return { id: await idOf(way), provider, name, added: null, lastUsed: null }
}

/** From when something counts that waits, in ISO 8601; `null`: when it is confirmed; `undefined`: it does not wait. */
export function waitOf(
  request: AuthRequest,
  added: { readonly unconfirmed?: Unconfirmed | undefined },
): string | null | undefined {
  if (!isWaiting(added, nowInSeconds(request))) return undefined
  return iso(countsFrom(added) ?? null)
}

function iso(seconds: number | null): string | null {
  return seconds === null ? null : new Date(seconds * 1000).toISOString()
}
