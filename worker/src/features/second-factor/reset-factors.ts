import { type AuthRequest, nowInSeconds } from '../../http/request.js'
import { changePerson, readPerson } from '../../person/documents.js'
import type { Person } from '../../person/person.js'
import { emit } from '../../session/callbacks.js'
import { senderOf } from '../ways/notify.js'
import { reach } from '../ways/reach.js'
import { isWaiting, meansOf } from '../ways/strength.js'
import { notifyOfFactor } from './notices.js'
import { removeFactor } from './person-factor.js'

/**
 * Takes the second factor from a person, for the operator. If the person has no app, and no mail
 * reaches them, ways of theirs that are two factors count as one factor from now on, until they are confirmed: after
 * losing the only one, a person could not add another that counts.
 *
 * @throws {StoreUnavailable} called again, it finishes
 */
export async function resetFactors(request: AuthRequest, sub: string): Promise<void> {
  const person = (await removeFactor(request, sub)) ?? (await weakenWays(request, sub))
  if (!person) return
  await notifyOfFactor(request, 'factor-removed', { sub, person, by: 'operator' })
  await emit(request, 'resetFactors', { sub })
}

/** @returns the person; `undefined`: nothing has changed */
async function weakenWays(request: AuthRequest, sub: string): Promise<Person | undefined> {
  const read = await readPerson(request, sub)
  if (!read.person || (await isReached(request, read.person))) return undefined
  const now = nowInSeconds(request)
  const change = (person: Person | undefined) => {
    if (!person || person.factor) return undefined
    const strong = new Set(meansOf(request, person).map(({ way }) => way))
    const ways = person.ways.map((way) =>
      strong.has(way.way) && !isWaiting(way, now) ? { ...way, unconfirmed: {} } : way,
    )
    const isChanged = ways.some((way, at) => way !== person.ways[at])
    return isChanged ? { ...person, ways, hadMeans: true as const } : undefined
  }
  const { person, isChanged } = await changePerson(request, sub, change, read)
  return isChanged ? person : undefined
}

/** Is there a mail to every address of theirs? Then their new factors count after a week. */
async function isReached(request: AuthRequest, person: Person): Promise<boolean> {
  const { isWhole } = await reach(request, person)
  return isWhole && senderOf(request) !== undefined
}
