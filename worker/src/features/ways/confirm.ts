import type { AuthRequest } from '../../http/request.js'
import { changePerson, readPerson } from '../../person/documents.js'
import { type Person, withWay } from '../../person/person.js'
import { idOf } from './list.js'

/**
 * A person says that a way is their own, so that it counts from now on. One that does not wait, or is not theirs,
 * stays as it is.
 *
 * @param id as in the list
 * @param isEnough may the session that asks confirm something of this person?
 * @returns the id of the way's provider, if it has waited
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
  const chosen = waiting[ids.indexOf(id)]
  if (!chosen) return undefined
  const { way, provider } = chosen
  const change = (person: Person | undefined) => {
    const entry = person?.ways.find((one) => one.way === way)
    if (!person || !entry?.unconfirmed || !isEnough(person)) return undefined
    const { unconfirmed: _, ...confirmed } = entry
    return withWay(person, way, confirmed)
  }
  const { isChanged } = await changePerson(request, sub, change, read)
  return isChanged ? provider : undefined
}
