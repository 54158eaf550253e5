import { isRecord } from '@latchkey/session/internal'
import { MEMBERS } from '../config/manifests.js'
import { DamagedRecord, InvalidConfiguration, StoreUnavailable } from '../errors.js'
import type { AuthRequest } from '../http/request.js'
import type { LedgerDocument } from '../stores/ledger/types.js'
import type { ReadPerson } from './found-way.js'
import { hasMoved, isBlocked, type Person } from './person.js'
import { contentOf, hasCredential, personKey } from './way-document.js'

/** How often a change is tried again after a faster request. */
const TRIES = 50

/** @throws {StoreUnavailable} */
export async function readDocument(
  { stores }: AuthRequest,
  key: string,
): Promise<LedgerDocument | undefined> {
  return stores.ledger.document(key)
}

/**
 * Changes a document that is still as it was read. If the answer is lost, the document says whether
 * it was changed.
 *
 * @returns `false`: another request was faster
 * @throws {StoreUnavailable} it may be changed, or not
 */
export async function changeDocument(
  request: AuthRequest,
  key: string,
  version: number,
  content: object | null,
): Promise<boolean> {
  const { ledger } = request.stores
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
  // After a merge a person may have the other person's credentials, and no handle of their own.
  const hasHandle = person?.ways.some(hasCredential) === true
  const members = [...Object.keys(person ?? {}), ...(hasHandle ? ['handle'] : [])]
  // A block alone refuses every sign-in, whatever else the document has.
  const unread = isBlocked(person) ? undefined : members.find((name) => !features.reads.has(name))
  if (unread !== undefined) throw notRead(unread)
  return { version: document?.version ?? 0, person }
}

function notRead(member: string): InvalidConfiguration {
  const name = Object.hasOwn(MEMBERS, member) ? MEMBERS[member] : undefined
  const remedy = name
    ? `add the feature of @latchkey/worker/features/${name}.`
    : 'a feature of your own wrote it, or a later version of the service.'
  return new InvalidConfiguration(
    `A person has "${member}", which no feature of this service reads: ${remedy}`,
  )
}

/**
 * Changes a person's document, again and again until no other request was faster.
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
    if (await changeDocument(request, personKey(sub), version, contentOfPerson(changed))) {
      return { person: changed, isChanged: true }
    }
  }
  throw new StoreUnavailable('Somebody’s ways are being changed all the time.')
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
  await Promise.all(keys.map((key) => stores.ledger.changeDocument(key, -1, null, 'forgets')))
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
  if (!hasMoved(read.person) || isBlocked(read.person) || (await isOver())) return read
  await changeDocument(request, personKey(sub), read.version, null)
  return readPerson(request, sub)
}

/**
 * May nothing act for a person now, since they are blocked, are being erased, or are another person? Other members of their document
 * need not be read by a feature.
 *
 * @param document of the person
 * @throws {DamagedRecord}
 */
export function isBarred(document: LedgerDocument | undefined): boolean {
  const person = personIn(document)
  const isTakenIn = person?.mergedInto !== undefined && !hasMoved(person)
  return isBlocked(person) || person?.erasing === true || isTakenIn
}

/**
 * The content of a person's document. The list of a blocked person is inside: a version that does not know blocks finds no list, so it
 * takes the document for damaged, signs nobody in, and changes nothing.
 */
export function contentOfPerson(person: Person): object {
  const { blocked, ...list } = person
  return blocked === undefined ? list : { blocked, person: list }
}

/** @throws {DamagedRecord} a change would lose the person's ways */
function personIn(document: LedgerDocument | undefined): Person | undefined {
  const content = contentOf(document)
  if (!content) return undefined
  const { blocked, person = content } = content
  if (isRecord(person) && Array.isArray(person.ways) && person.ways.every(isRecord)) {
    return (blocked === undefined ? person : { ...person, blocked }) as unknown as Person
  }
  throw new DamagedRecord('The document of a person cannot be read.')
}
