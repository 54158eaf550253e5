import { isRecord } from '@latchkey/session/internal'
import { MEMBERS } from '../config/feature-names.js'
import { DamagedRecord, InvalidConfiguration, StoreUnavailable } from '../errors.js'
import type { AuthRequest } from '../http/request.js'
import type { LedgerDocument } from '../stores/ports.js'
import { contentOf, hasCredential, personKey, type WithCredential } from './way-document.js'

/** A way of a person, in the person's document. Times are seconds since the epoch. */
export interface PersonWay extends WithCredential {
  /** Its own name. */
  readonly way: string
  /** Id of the provider. */
  readonly provider: string
  /** When it was added; `null` for a first way, since nobody noted it. */
  readonly added: number | null
  /** When it was last used, to the day. */
  readonly used: number | null
  /** A change that may have failed halfway. The way's own document names the owner. */
  readonly state?: 'adding' | 'removing'
  /** When that change began. */
  readonly since?: number
  /** The person that it is taken over from. */
  readonly from?: string
  /** The description of the person by this way; unreadable once its secret is retired. */
  readonly sealed?: string
  /** Left out: it counts. */
  readonly unconfirmed?: Unconfirmed
}

/**
 * A session of one factor has added it, to a person who had a passkey or an app: it does not count yet as what its
 * person proves themselves by (`strength.ts`). Versions that do not know it leave it as it is.
 */
export interface Unconfirmed {
  /** When every verified address of the person got the notice. Seconds since the epoch. */
  readonly told?: number
  /** The day on which that was tried last. Seconds since the epoch. */
  readonly tried?: number
}

/** A person with more than one way, or who had more, or with a passkey or a second factor. */
export interface Person {
  readonly ways: readonly PersonWay[]
  /**
   * Their WebAuthn user handle, 32 bytes in base64url: that of each of their passkeys, but for those that they had
   * as somebody who became them.
   */
  readonly handle?: string
  /** They have a document for the factor alone, and have had one way ever since. */
  readonly isAlone?: true
  /** They have removed a passkey or an app, which a session of theirs may have begun with. */
  readonly hadMeans?: true
  /** They are another person now. Ways that are listed here have not all moved yet. */
  readonly mergedInto?: string
  /** Each `sub` of the app's that somebody had who has become this person, and that none of their ways has itself. */
  readonly were?: readonly string[]
  /** They are being deleted. */
  readonly erasing?: true
  /** When they asked for that themselves. Seconds since the epoch. */
  readonly asked?: number
  /** Earlier ways that sign nobody in, because their documents say so. */
  readonly removed?: readonly string[]
  /** Documents that were deleted with a way of theirs, each of which leaves its key in the ledger for a day. */
  readonly deleted?: readonly Deleted[]
}

/** The key of a document, and when it was deleted. Seconds since the epoch. */
interface Deleted {
  readonly key: string
  readonly at: number
}

/** The most ways of a person. */
export const MAX_WAYS = 20

/** How often a change is tried again after somebody was faster. */
const TRIES = 50

/** A person as they were read. */
export interface ReadPerson {
  readonly version: number
  readonly person: Person | undefined
}

/** @throws {StoreUnavailable} */
export async function readDocument(
  { stores }: AuthRequest,
  key: string,
): Promise<LedgerDocument | undefined> {
  return stores.ledger.document?.(key)
}

/**
 * Changes a document that is still as it was read. If the answer is lost, the document says whether
 * it was changed.
 *
 * @returns `false`: somebody was faster
 * @throws {StoreUnavailable} it may be changed, or not
 */
export async function changeDocument(
  request: AuthRequest,
  key: string,
  version: number,
  content: object | null,
): Promise<boolean> {
  const { ledger } = request.stores
  if (!ledger.changeDocument) {
    throw new InvalidConfiguration('This ledger keeps no documents, so nobody can have two ways.')
  }
  const text = content && JSON.stringify(content)
  try {
    return await ledger.changeDocument(key, version, text)
  } catch (error) {
    const document = await readDocument(request, key)
    if (document?.version === version + 1 && document.content === text) return true
    throw error
  }
}

/** @throws {StoreUnavailable} */
export async function readPerson(request: AuthRequest, sub: string): Promise<ReadPerson> {
  return asPerson(request, await readDocument(request, personKey(sub)))
}

/**
 * The content of a document as a person.
 *
 * @throws {DamagedRecord}
 * @throws {InvalidConfiguration} a member belongs to a feature that is absent and might have
 * stopped the sign-in
 */
export function asPerson(
  { features }: AuthRequest,
  document: LedgerDocument | undefined,
): ReadPerson {
  const person = personIn(document)
  // A person who took another one in may have that one's credentials, and no handle of their own.
  const hasHandle = person?.ways.some(hasCredential) === true
  const members = [...Object.keys(person ?? {}), ...(hasHandle ? ['handle'] : [])]
  const unread = members.find((name) => !features.reads.has(name))
  if (unread !== undefined) throw notRead(unread)
  return { version: document?.version ?? 0, person }
}

function notRead(member: string): InvalidConfiguration {
  const name = MEMBERS[member] ?? 'ways'
  return new InvalidConfiguration(
    `A person has "${member}", which no feature of this service reads: add the feature of @latchkey/worker/features/${name}.`,
  )
}

/**
 * Changes a person's document, again and again until nobody was faster.
 *
 * @param change returns the new one; `undefined` if there is nothing to change
 * @param known as the caller has just read it
 * @returns the document as it is now, and whether this call has changed it
 * @throws {StoreUnavailable}
 */
export async function changePerson(
  request: AuthRequest,
  sub: string,
  change: (person: Person | undefined) => Person | undefined,
  known?: ReadPerson,
): Promise<{ readonly person: Person | undefined; readonly isChanged: boolean }> {
  let read = known
  for (let tries = 0; tries < TRIES; tries++) {
    const { version, person } = read ?? (await readPerson(request, sub))
    read = undefined
    const changed = change(person)
    if (!changed) return { person, isChanged: false }
    if (await changeDocument(request, personKey(sub), version, changed)) {
      return { person: changed, isChanged: true }
    }
  }
  throw new StoreUnavailable('Somebody’s ways are being changed all the time.')
}

/** The person with one of their ways changed, or without it. */
export function withWay(person: Person, way: string, changed: PersonWay | undefined): Person {
  const at = person.ways.findIndex((one) => one.way === way)
  const place = at < 0 ? person.ways.length : at
  return { ...person, ways: person.ways.toSpliced(place, 1, ...(changed ? [changed] : [])) }
}

/** How long a key is known after its document was deleted. Seconds. */
const REMEMBERED = 24 * 60 * 60

/** The most keys that are listed: an erasure makes a call for each. Keys beyond it lapse. */
const MAX_DELETED = 20

/** What a person's list says of deleted documents after some more were. @param now seconds since the epoch */
export function withDeleted(
  deletions: readonly Deleted[] = [],
  more: readonly Deleted[],
  now: number,
): readonly Deleted[] {
  const latest = new Map([...deletions, ...more].map((one) => [one.key, one]))
  return [...latest.values()].filter(({ at }) => now - at < REMEMBERED).slice(-MAX_DELETED)
}

/**
 * Deletes the rest of deleted documents, but no document that another request has written again.
 *
 * @throws {StoreUnavailable}
 */
export async function forgetDeleted(
  { stores }: AuthRequest,
  keys: readonly string[],
): Promise<void> {
  await Promise.all(keys.map((key) => stores.ledger.changeDocument?.(key, -1, null, 'forgets')))
}

/**
 * Has a person become another one, and have all their ways moved? If a way signs in as them since then, they are a
 * person of their own again.
 */
export function hasMoved(person: Person | undefined): boolean {
  return person?.mergedInto !== undefined && person.ways.length === 0
}

/**
 * Reads a person for a session or a sign-in of theirs. If they {@link hasMoved}, their document is stale and is deleted: a
 * merge ends all sessions of the person before it moves a way, so a session that goes on began later, when they were free.
 *
 * @param isOver has the session or the sign-in ended?
 * @throws {StoreUnavailable}
 */
export async function readFreed(
  request: AuthRequest,
  sub: string,
  isOver: () => Promise<boolean>,
): Promise<ReadPerson> {
  const read = await readPerson(request, sub)
  if (!hasMoved(read.person) || (await isOver())) return read
  await changeDocument(request, personKey(sub), read.version, null)
  return readPerson(request, sub)
}

/**
 * Has a person had only one way, ever since the ledger knows of them? An older version that adds
 * another way leaves a mark.
 */
export function isAlone({ isAlone, ways }: Person): boolean {
  return isAlone === true && ways.length < 2
}

/** @throws {DamagedRecord} somebody's ways must not be lost by it */
function personIn(document: LedgerDocument | undefined): Person | undefined {
  const content = contentOf(document)
  if (!content || (Array.isArray(content.ways) && content.ways.every(isRecord))) {
    return content as Person | undefined
  }
  throw new DamagedRecord('The document of a person cannot be read.')
}
