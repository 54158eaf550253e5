import type { SessionClaims } from '@latchkey/session'
import { type AuthRequest, nowInSeconds } from '../../http/request.js'
import { digest } from '../../lib/base64url.js'
import { readDocument, readPerson } from '../../person/documents.js'
import { hasMoved, type Person, type PersonWay, type Unconfirmed } from '../../person/person.js'
import { ownerIn, readWay, wayKey } from '../../person/way-document.js'
import { liveRecords } from '../../session/list.js'
import { type SessionWay, wayOfRecord, wayOfSession } from '../../session/session-way.js'
import { openDescribed, shownName } from './description.js'
import { countsFrom, isWaiting } from './strength.js'
import type { ListedWay } from './types.js'

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
    const ways = await standingWays(request, sub, person)
    return ways.map(({ listed }) => listed)
  }
  const records = await liveRecords(request, sub)
  const opened = await Promise.all(records.map((record) => wayOfRecord(request, record)))
  const ways = new Map(opened.flatMap((one) => (one ? [[one.way, one]] : [])))
  return Promise.all([...ways.values()].map((one) => theOnlyWay(request, one)))
}

/** The same for the page of the account. */
interface ShownWay extends OwnWay {
  /** As the person's document has it. Left out: there is none. */
  readonly entry?: PersonWay
  /**
   * For a way that does not count yet: the time from which it does, in ISO 8601; `null`: when it is
   * confirmed.
   */
  readonly waits?: string | null
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
  /** If the ledger has a document of the person. */
  readonly person: Person | undefined
}> {
  const [read, own] = await Promise.all([
    readPerson(request, claims.sub),
    wayOfSession(request, claims),
  ])
  const person = hasMoved(read.person) ? undefined : read.person
  const current = await idOf(own.way)
  const ways: readonly (Pick<StandingWay, 'listed'> & Partial<StandingWay>)[] = person
    ? await standingWays(request, claims.sub, person)
    : [{ listed: await theOnlyWay(request, own) }]
  const shown = ways.map(({ listed, entry }) => {
    const waits = entry && waitOf(request, entry)
    return {
      ...listed,
      current: listed.id === current,
      ...(entry && { entry }),
      ...(waits === undefined ? {} : { waits }),
    }
  })
  return { ways: shown, person }
}

/** The same as `GET /ways` answers it. @throws {StoreUnavailable} */
export async function ownWays(
  request: AuthRequest,
  claims: SessionClaims,
): Promise<readonly OwnWay[]> {
  const { ways } = await shownWays(request, claims)
  return ways.map(({ id, provider, name, added, lastUsed, current }) => {
    return { id, provider, name, added, lastUsed, current }
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

/** A way's public id: it does not change, and the way's name cannot be read from it. */
export function idOf(way: string): Promise<string> {
  return digest(['latchkey/way/v1', way], 16)
}

/** A way that signs in as a person now, as their document has it and as a list does. */
interface StandingWay {
  readonly entry: PersonWay
  readonly listed: ListedWay
}

/**
 * The ways that sign in as a person now. A change that failed halfway is judged by the way's own document,
 * which sign-ins use, so that no way signs in as a person who does not see it.
 *
 * @throws {StoreUnavailable}
 */
export async function standingWays(
  request: AuthRequest,
  sub: string,
  { ways }: Person,
): Promise<readonly StandingWay[]> {
  const standing = await Promise.all(ways.map((way) => isStanding(request, sub, way)))
  return Promise.all(
    ways
      .filter((_, index) => standing[index])
      .map(async (entry) => ({ entry, listed: await listedAs(request, entry) })),
  )
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

async function listedAs(request: AuthRequest, entry: PersonWay): Promise<ListedWay> {
  const { way, provider, added, used } = entry
  const name = shownName(request, way, await openDescribed(request, entry))
  return { id: await idOf(way), provider, name, added: iso(added), lastUsed: iso(used) }
}

async function theOnlyWay(
  request: AuthRequest,
  { way, provider, described }: SessionWay,
): Promise<ListedWay> {
  const name = shownName(request, way, described)
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
