import type { AuthRequest } from '../../http/request.js'
import { readPerson } from '../../person/documents.js'
import { exportSessions } from '../../session/list.js'
import type { ExportedPerson } from '../../types/auth-handler.js'

/** What is said of a person by features that are not there. */
const NONE = { ways: [], connections: [], passkeys: [], factors: [] }

/** All that is kept of a person, without tokens and secrets. @throws {StoreUnavailable} */
export async function exportPerson(
  request: AuthRequest,
  sub: string,
): Promise<ExportedPerson | null> {
  const { person } = await readPerson(request, sub)
  const [sessions, ...parts] = await Promise.all([
    exportSessions(request, sub),
    ...request.features.hooks('exported').map((exported) => exported(request, sub, person)),
  ])
  const exported: ExportedPerson = Object.assign({ sub, sessions, ...NONE }, ...parts)
  return sessions.length === 0 && exported.ways.length === 0 ? null : exported
}
