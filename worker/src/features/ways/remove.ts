import type { SessionClaims } from '@latchkey/session'
import { acrOf } from '@latchkey/session/issue'
import { AccessDenied, InvalidCheck } from '../../errors.js'
import { type AuthRequest, nowInSeconds } from '../../http/request.js'
import { changePerson } from '../../person/documents.js'
import { hasMoved, isBlocked, type Person, type PersonWay, withWay } from '../../person/person.js'
import { isMail } from '../../person/way-document.js'
import { wayOfSession } from '../../session/session-way.js'
import { finishRemoving, settled } from './changes.js'
import { openDescribed } from './description.js'
import { idOf } from './list.js'
import { hasStrongStep, isMeans, isStrong, isWaiting } from './strength.js'

/**
 * Removes a way of a person. A way that is not theirs, or no longer, counts as removed.
 *
 * @param id as in the list
 * @returns `false`: nothing is changed, since this person's protection asks for a stronger session
 * @throws {AccessDenied} it is the last one, or a feature refuses
 * @throws {InvalidCheck} the person no longer exists, or is blocked
 * @throws {StoreUnavailable} it is removed, or not: their list says which
 */
export async function removeWay(
  request: AuthRequest,
  asker: SessionClaims,
  id: string,
): Promise<boolean> {
  const { sub } = asker
  const person = await settled(request, sub)
  if (!person || hasMoved(person)) {
    const { way } = await wayOfSession(request, asker)
    if ((await idOf(way)) === id) throw lastWay()
    return true
  }
  const ids = await Promise.all(person.ways.map(({ way }) => idOf(way)))
  const entry = person.ways[ids.indexOf(id)]
  if (!entry) return true
  await request.features.ports.manager?.checkRemoving(request, entry)
  const { way } = entry
  const since = nowInSeconds(request)
  const isStrongAsker = acrOf(asker.amr) === '2'
  const isMailed = !isStrongAsker && (await isAddress(request, entry))
  let isEnough = true
  await changePerson(request, sub, (person) => {
    const entry = person?.ways.find((one) => one.way === way && one.state === undefined)
    if (!person || !entry) return undefined
    // The answer would say that it is removed, and it would be the other person's. A blocked person would be here by it again.
    if (person.mergedInto !== undefined || person.erasing || isBlocked(person)) {
      throw new InvalidCheck('The person is another one now, or is being deleted, or is blocked.')
    }
    isEnough = isStrongAsker || !asksForMore(request, person, entry, isMailed)
    if (!isEnough) return undefined
    // A way that is being removed, or is not theirs yet, lets no user in.
    const isLast = !person.ways.some((one) => one.way !== way && one.state === undefined)
    if (isLast) throw lastWay()
    return withWay(person, way, { ...entry, state: 'removing', since })
  })
  if (isEnough) await finishRemoving(request, sub, way)
  return isEnough
}

/**
 * Does the removal of a way ask for a session of `acr` 2? It does if the person is asked for more after
 * any way, if the way gives as much by itself, and if it is an address beside such a way: otherwise
 * notices of later additions would only go to the others.
 */
function asksForMore(
  request: AuthRequest,
  person: Person,
  entry: PersonWay,
  isMailed: boolean,
): boolean {
  if (hasStrongStep(request, person)) return true
  if (isWaiting(entry, nowInSeconds(request))) return false
  return isMeans(request, person, entry.way) || (isStrong(request, person) && isMailed)
}

/** Is the person mailed at it? */
async function isAddress(request: AuthRequest, entry: PersonWay): Promise<boolean> {
  return isMail(entry.way) || (await openDescribed(request, entry)).address !== undefined
}

function lastWay(): AccessDenied {
  const error = new AccessDenied('The last way to sign in cannot be removed.')
  error.code = 'last_way'
  return error
}
