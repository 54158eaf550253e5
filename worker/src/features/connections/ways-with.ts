import type { AuthRequest } from '../../http/request.js'
import { readPerson } from '../../person/documents.js'
import { isAlone, type Person } from '../../person/person.js'
import type { ConnectedWay } from './connection.js'

/**
 * A person's ways that may have a connection with a provider, also one that is being added: it has a connection
 * as soon as it is theirs.
 *
 * @throws {StoreUnavailable}
 */
export async function waysWith(
  request: AuthRequest,
  sub: string,
  provider: string,
): Promise<readonly ConnectedWay[]> {
  return waysIn((await readPerson(request, sub)).person, sub, provider)
}

/** The same, of a person's document. */
export function waysIn(
  person: Person | undefined,
  sub: string,
  provider: string,
): readonly ConnectedWay[] {
  // A merged person has no connection, wherever their former tokens are at the moment.
  if (!person || person.erasing || person.mergedInto !== undefined) return []
  // Tokens of a person with only one way end with the session.
  if (isAlone(person)) return []
  return person.ways.flatMap((one) =>
    one.provider === provider && one.state !== 'removing' ? { sub, way: one.way, provider } : [],
  )
}
