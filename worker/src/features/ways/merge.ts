import type { SessionClaims } from '@latchkey/session'
import type { AuthRequest } from '../../http/request.js'
import { changeDocument, readDocument, readPerson } from '../../person/documents.js'
import { hasMoved, isBlocked, type Person, type PersonWay } from '../../person/person.js'
import { ownerIn, personKey, readWay, wayKey } from '../../person/way-document.js'
import { isRevoked } from '../../session/revoke.js'
import { announce, endedMeanwhile } from './announce.js'
import { finishMerge, settled } from './changes.js'
import { hasSecondStep } from './strength.js'

/** How often a person is read again after a change meanwhile. */
const TRIES = 20

/**
 * Takes another person in, after the asker has proved one of their ways: their ways belong to the
 * asker from then on. One write decides, so that it happens once. It replaces a version of their
 * list that has the proved way, so that it fails if they remove the way meanwhile.
 *
 * @param proved the way, as an entry
 * @returns `false`: it cannot be done: they are blocked, the way is no longer theirs, or they have a second factor or
 * a member of a feature that does not merge it,
 * belong to another person now, are being deleted, or are about to change themselves, perhaps by
 * taking in the asker
 * @throws {AccessDenied} these would be too many ways
 * @throws {InvalidCheck} the asker's session has ended meanwhile
 * @throws {StoreUnavailable} tried again, it goes on
 */
export async function takeIn(
  request: AuthRequest,
  asker: SessionClaims,
  from: string,
  proved: PersonWay,
): Promise<boolean> {
  const { sub } = asker
  for (let tries = 0; tries < TRIES; tries++) {
    // Another request was faster, perhaps an erasure of the asker: then no more is written about
    // them.
    if (tries > 0) await checkAsker(request, asker)
    const known = await settled(request, from)
    // Their ways stay theirs: by another person's session a blocked one would be here again.
    if (isBlocked(known)) return false
    if (!known || hasMoved(known)) {
      if (!(await beginList(request, from, proved))) return false
      continue
    }
    if (!mayMove(request, known)) return false
    const taken = known.ways.map((way) => ({ ...(way.way === proved.way ? proved : way), from }))
    await announce(request, asker, taken)
    const { version, person } = await readPerson(request, from)
    if (!person) continue
    if (person.mergedInto !== undefined) {
      if (person.mergedInto === sub) await finishMerge(request, sub, from)
      return person.mergedInto === sub
    }
    if (person.erasing || !mayMove(request, person)) return false
    if (!person.ways.some(({ way }) => way === proved.way)) return false
    const names = new Set(taken.map(({ way }) => way))
    if (!person.ways.every(({ way }) => names.has(way))) continue
    // From now on their sign-ins read their own document, which decides the merge.
    if (!(await hasDocument(request, from, proved.way))) return false
    // Asked after they were read: erasing the asker ends their sessions first, and changes this document then.
    await checkAsker(request, asker)
    const decided = { ...person, mergedInto: sub }
    if (await changeDocument(request, personKey(from), version, decided)) {
      await finishMerge(request, sub, from)
      return true
    }
  }
  return false
}

/** May all that the person has become another one's by one proof? */
function mayMove(request: AuthRequest, person: Person): boolean {
  // One proof of theirs is not enough if their sign-ins need two factors.
  if (isBlocked(person) || hasSecondStep(request, person)) return false
  // A way that they are adding would belong to the old person, and no page would show it.
  if (person.ways.some(({ state }) => state !== undefined)) return false
  return !Object.keys(person).some((member) => request.features.unmerged.has(member))
}

/** @throws {InvalidCheck} */
async function checkAsker(request: AuthRequest, asker: SessionClaims): Promise<void> {
  if (await isRevoked(request, asker)) throw endedMeanwhile()
}

/**
 * Writes the list of a person who has one way, or who was unlinked and has the proved way.
 *
 * @returns `false`: the way is not theirs
 */
async function beginList(request: AuthRequest, from: string, proved: PersonWay): Promise<boolean> {
  const { version, person } = await readPerson(request, from)
  if (!(await hasDocument(request, from, proved.way))) return false
  // Another request has written the list.
  if (person && (!hasMoved(person) || isBlocked(person))) return true
  const alone = { ways: [{ ...proved, added: null }], isAlone: true }
  await changeDocument(request, personKey(from), version, alone)
  return true
}

/**
 * Does the ledger say that the way is theirs? An owner who only follows from the account is written
 * down.
 */
async function hasDocument(request: AuthRequest, from: string, way: string): Promise<boolean> {
  const key = wayKey(way)
  const document = await readDocument(request, key)
  const entry = readWay(document)
  if (entry) return ownerIn(entry) === from
  const first = { owner: from, first: true }
  if (await changeDocument(request, key, document?.version ?? 0, first)) return true
  return ownerIn(readWay(await readDocument(request, key))) === from
}
