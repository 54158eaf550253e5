import { StoreUnavailable } from '../../errors.js'
import type { AuthRequest } from '../../http/request.js'
import { changeDocument, changePerson, readDocument, readPerson } from '../../person/documents.js'
import { ownerIn, readWay, wayKey } from '../../person/way-document.js'

/** How often a way is read again after another request was faster. */
const TRIES = 20

/**
 * Stops the additions of other requests to a person who is being erased, after their sessions have
 * ended: the write that would decide finds another version than it has read. An addition that was
 * decided before stays, and is to be finished.
 *
 * @throws {StoreUnavailable}
 */
export async function stopAdding(request: AuthRequest, sub: string): Promise<void> {
  const { person } = await readPerson(request, sub)
  for (const { way, state, from } of person?.ways ?? []) {
    if (state !== 'adding') continue
    // A request that takes a person in asks for its own session after it has read them.
    if (from !== undefined) await changePerson(request, from, (person) => person && { ...person })
    else await stopWay(request, sub, way)
  }
}

async function stopWay(request: AuthRequest, sub: string, way: string): Promise<void> {
  const key = wayKey(way)
  for (let tries = 0; tries < TRIES; tries++) {
    const document = await readDocument(request, key)
    const entry = readWay(document)
    if (ownerIn(entry) !== undefined) return
    // A document that never was cannot be deleted, so it is written before.
    const removed = entry ?? { removed: sub }
    const version = document?.version ?? 0
    if (!(await changeDocument(request, key, version, removed))) continue
    if (entry || (await changeDocument(request, key, version + 1, null))) return
  }
  throw new StoreUnavailable('A way is being changed all the time.')
}
