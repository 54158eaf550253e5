import type { AuthRequest } from '../http/request.js'
import { shownBlock } from '../person/block.js'
import { readPerson } from '../person/documents.js'
import type { KeptPerson, OneSession } from '../types/auth-handler.js'
import type { ExportedPerson } from '../types/exported-person.js'
import { end, endedOf, isSid, logRevocation } from './end.js'
import { liveRecords } from './list.js'

/** The members of an export that features add, each of them a list. */
type Lists = Partial<Omit<ExportedPerson, 'sub' | 'blocked'>>

/**
 * A person, and how many sessions, ways and connections they have.
 *
 * @returns `null`: the service has no data about them
 * @throws {StoreUnavailable}
 */
export async function getPerson(request: AuthRequest, sub: string): Promise<KeptPerson | null> {
  const { person } = await readPerson(request, sub)
  const [{ length: sessions }, ...parts] = await Promise.all([
    liveRecords(request, sub),
    ...request.features
      .hooks('person', 'exported')
      .map((exported) => exported(request, sub, person)),
  ])
  const lists: Lists = Object.assign({}, ...parts)
  const { ways, connections = [], factors = [] } = lists
  const blocked = shownBlock(person)
  if (!blocked && !sessions && !Object.values(lists).flat().length) return null
  return {
    sub,
    blocked,
    sessions,
    // Without the feature `ways` a person has the one that they have signed in with.
    ways: ways?.length ?? Math.min(sessions, 1),
    connections: connections.length,
    factors,
    ...(lists.password ? { password: lists.password } : {}),
  }
}

/**
 * Ends one session of a person for the operator. Nothing happens if it is not theirs, or is not listed.
 *
 * @throws {StoreUnavailable} called again, it finishes
 */
export async function endSessionOf(
  request: AuthRequest,
  { sub, session }: OneSession,
): Promise<void> {
  const record = isSid(session) && (await request.stores.sessions.get(sub, session))
  if (!record) return
  await end(request, [endedOf(record)], undefined)
  await logRevocation(request, sub, { id: session }, 'operator')
}
