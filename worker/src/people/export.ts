import type { AuthRequest } from '../http/request.js'
import { openTokens, readConnection } from '../provider-tokens/connection.js'
import { exportSessions } from '../session/list.js'
import type { ExportedConnection, ExportedPerson } from '../types/auth-handler.js'
import { readPerson } from '../ways/documents.js'
import { listWays, passkeysOf } from '../ways/list.js'

/** All that is kept of a person, without tokens and secrets. @throws {StoreUnavailable} */
export async function exportPerson(
  request: AuthRequest,
  sub: string,
): Promise<ExportedPerson | null> {
  const [sessions, ways, connections, passkeys] = await Promise.all([
    exportSessions(request, sub),
    listWays(request, sub),
    connectionsOf(request, sub),
    passkeysOf(request, sub),
  ])
  if (sessions.length === 0 && ways.length === 0) return null
  return { sub, sessions, ways, connections, passkeys, factors: [] }
}

async function connectionsOf(
  request: AuthRequest,
  sub: string,
): Promise<readonly ExportedConnection[]> {
  const { person } = await readPerson(request, sub)
  const kept = (person?.ways ?? []).map(async ({ way, provider }) => {
    const connected = { sub, way, provider }
    const { sealed, proved } = await readConnection(request, connected)
    if (sealed === '') return []
    const tokens = await openTokens(request, connected, sealed)
    const scope = tokens?.scope ?? null
    return [{ provider, scope, since: new Date(proved).toISOString() }]
  })
  return (await Promise.all(kept)).flat()
}
