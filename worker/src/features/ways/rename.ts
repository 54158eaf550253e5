import type { SessionClaims } from '@latchkey/session'
import type { AuthRequest } from '../../http/request.js'
import { pattern } from '../../lib/pattern.js'
import { changePerson, readPerson } from '../../person/documents.js'
import { withWay } from '../../person/person.js'
import { openDescribed, sealDescribed } from './description.js'
import { idOf } from './list.js'

/** Characters, as people count them. */
export const MAX_NAME = 64

/**
 * Characters that break a line, or turn its direction: in a list or a log such a name could imitate
 * another line.
 */
const hasControl = pattern(String.raw`[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]`, 'u')

/** A user's name for a way, of one line; `undefined` if it is empty or too long. */
export function wayName(value: unknown): string | undefined {
  const name = typeof value === 'string' ? value.trim() : ''
  // A character has two code units at most.
  const isName = name !== '' && name.length <= 2 * MAX_NAME && [...name].length <= MAX_NAME
  return isName && !hasControl().test(name) ? name : undefined
}

/**
 * Gives a way another name, if its kind has names. Any other way stays as it is.
 *
 * @param id as in the list
 * @throws {StoreUnavailable}
 */
export async function renameWay(
  request: AuthRequest,
  { sub }: SessionClaims,
  id: string,
  label: string,
): Promise<void> {
  const read = await readPerson(request, sub)
  const ways = read.person?.ways.filter(({ way }) => request.features.wayKind(way)) ?? []
  const ids = await Promise.all(ways.map(({ way }) => idOf(way)))
  const named = ways[ids.indexOf(id)]
  if (!named) return
  const { way } = named
  const sealed = await sealDescribed(request, way, {
    ...(await openDescribed(request, named)),
    label,
  })
  const change: Parameters<typeof changePerson>[2] = (person) => {
    const entry = person?.ways.find((one) => one.way === way)
    return person && entry && withWay(person, way, { ...entry, sealed })
  }
  await changePerson(request, sub, change, read)
}
