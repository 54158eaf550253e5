import { EXPORTED } from '../../config/manifests.js'
import type { AuthRequest } from '../../http/request.js'
import { shownBlock } from '../../person/block.js'
import { readPerson } from '../../person/documents.js'
import { exportSessions } from '../../session/list.js'
import type { ExportedPerson } from '../../types/exported-person.js'

/** All that is kept of a person, without tokens and secrets. @throws {StoreUnavailable} */
export async function exportPerson(
  request: AuthRequest,
  sub: string,
): Promise<ExportedPerson | null> {
  const { person } = await readPerson(request, sub)
  const [sessions, ...parts] = await Promise.all([
    exportSessions(request, sub),
    ...request.features
      .hooks('person', 'exported')
      .map((exported) => exported(request, sub, person)),
  ])
  // A feature that the service does not have gives no part, so each part is empty at first.
  const none = Object.fromEntries(Object.keys(EXPORTED).map((name) => [name, []]))
  const exported: ExportedPerson = Object.assign({ sub, sessions, ...none }, ...parts)
  const blocked = shownBlock(person)
  if (blocked) return { ...exported, blocked }
  return sessions.length === 0 && exported.ways.length === 0 ? null : exported
}
