import type { AuthRequest } from '../../http/request.js'
import { changePerson, type Person, readPerson, withWay } from '../../person/documents.js'
import { idOf } from './list.js'

/**
 * A person says that a way is their own, so that it counts from now on. One that does not wait, or is not theirs,
 * stays as it is.
 *
 * @param id as in the list
 * @param isEnough may the session that asks confirm something of this person?
 * @returns the id of the way's provider, where it has waited
 * @throws {StoreUnavailable}
 */
export async function confirmWay(
  request: AuthRequest,
  sub: string,
  id: string,
  isEnough: (person: Person) => boolean,
): Promise<string | undefined> {
  const read = await readPerson(request, sub)
  const waiting = read.person?.ways.filter(({ unconfirmed }) => unconfirmed) ?? []
  const ids = await Promise.all(waiting.map(({ way }) => idOf(way)))
  const found = waiting[ids.indexOf(id)]
  if (!found) return undefined
  const { way, provider } = found
  const change = (known: Person | undefined) => {
    const kept = known?.ways.find((one) => one.way === way)
    if (!known || !kept?.unconfirmed || !isEnough(known)) return undefined
    const { unconfirmed: _, ...confirmed } = kept
    return withWay(known, way, confirmed)
  }
  const { isChanged } = await changePerson(request, sub, change, read)
  return isChanged ? provider : undefined
}
