import type { SessionClaims } from '@latchkey/session'
import { AccessDenied } from '../errors.js'
import { type AuthRequest, nowInSeconds } from '../http/request.js'
import { finishRemoving, settled } from './changes.js'
import { changePerson, withWay } from './documents.js'
import { idOf } from './list.js'
import { wayOfSession } from './session-way.js'

/**
 * Removes a way of a person. One that is not theirs, or not any more, is as one that was removed.
 *
 * @param id as in the list
 * @throws {AccessDenied} it is the last one
 * @throws {StoreUnavailable} it is removed, or not: their list says which
 */
export async function removeWay(
  request: AuthRequest,
  asker: SessionClaims,
  id: string,
): Promise<void> {
  const { sub } = asker
  const person = await settled(request, sub)
  if (!person) {
    const { way } = await wayOfSession(request, asker)
    if ((await idOf(way)) === id) throw lastWay()
    return
  }
  const ids = await Promise.all(person.ways.map(({ way }) => idOf(way)))
  const way = person.ways[ids.indexOf(id)]?.way
  if (way === undefined) return
  const since = nowInSeconds(request)
  await changePerson(request, sub, (known) => {
    const kept = known?.ways.find((one) => one.way === way && one.state === undefined)
    if (!known || !kept) return undefined
    // One that is being removed, or is not theirs yet, lets nobody in.
    const isLast = !known.ways.some((one) => one.way !== way && one.state === undefined)
    if (isLast) throw lastWay()
    return withWay(known, way, { ...kept, state: 'removing', since })
  })
  await finishRemoving(request, sub, way)
}

function lastWay(): AccessDenied {
  const error = new AccessDenied('The last way to sign in cannot be removed.')
  error.code = 'last_way'
  return error
}
