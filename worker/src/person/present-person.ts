import { DamagedRecord, InvalidCheck, OAuthAccountNotLinked } from '../errors.js'
import { type AuthRequest, nowInSeconds } from '../http/request.js'
import { asPerson, readDocument, readPerson } from './documents.js'
import type { FoundWay, PresentPerson } from './found-way.js'
import { hasMoved, isBlocked } from './person.js'
import { ownSubOf, readWay, wayKey } from './way-document.js'

/** The longest chain of merges, in people. */
const MAX_STEPS = 20

/** An erasure that has taken this long no longer goes on. Seconds. */
const FAILED = 60

/**
 * The person that a `sub` belongs to now. A merged person has a document that names the other one.
 *
 * @param document their own, if it was read
 * @param way whose own document names them, if one does. It leads on to the other person only while that person's ways are
 *   still to move: afterwards the other person has removed it, and it leads to this one
 * @throws {OAuthAccountNotLinked} they are being erased
 * @throws {InvalidCheck} they had asked for that, it had failed halfway, and is done now
 * @throws {StoreUnavailable}
 */
export async function presentPerson(
  request: AuthRequest,
  sub: string,
  document: FoundWay['person'],
  way?: string,
): Promise<PresentPerson> {
  let owner = sub
  let person = document === undefined ? undefined : asPerson(request, document ?? undefined)
  for (let step = 0; step < MAX_STEPS; step++) {
    person ??= await readPerson(request, owner)
    const { mergedInto, erasing, asked } = person.person ?? {}
    // A sign-in of a blocked person goes on with nothing: an erasure would end the block.
    if (erasing && !isBlocked(person.person)) {
      const hasFailed = asked !== undefined && nowInSeconds(request) - asked > FAILED
      if (!hasFailed) throw new OAuthAccountNotLinked('The person of a way is being erased.')
      if (await request.features.goOnErasing(request, owner)) {
        throw new InvalidCheck('The person of a way had asked to be erased, and is now.')
      }
      throw new OAuthAccountNotLinked(
        'The person of a way had asked to be erased, which failed halfway: add the feature of @latchkey/worker/features/people, which goes on with it.',
      )
    }
    if (mergedInto === undefined) return { sub: owner, document: person }
    if (way !== undefined && step === 0 && hasMoved(person.person)) {
      const { blocked } = person.person ?? {}
      const free = blocked && { ways: [], blocked }
      return { sub: owner, document: { ...person, person: free } }
    }
    if (typeof mergedInto !== 'string') break
    owner = mergedInto
    person = undefined
  }
  throw new DamagedRecord('The person that another one became cannot be read.')
}

/**
 * Does a way that a person proved a while ago still sign in as them? The caller has read that they exist.
 *
 * @param isGiven by the word of the app, not the ledger's
 * @throws {StoreUnavailable}
 */
export async function isStillOf(
  request: AuthRequest,
  way: string,
  sub: string,
  isGiven = false,
): Promise<boolean> {
  const entry = readWay(await readDocument(request, wayKey(way)))
  if (!entry) return isGiven || ownSubOf(way) === sub
  if ('removed' in entry) return false
  if (entry.owner === sub) return true
  return (await presentPerson(request, entry.owner, undefined, way)).sub === sub
}
