import type { AuthRequest } from '../../http/request.js'
import { type Person, readPerson } from '../../person/documents.js'
import { exportSessions } from '../../session/list.js'
import type {
  ExportedConnection,
  ExportedFactor,
  ExportedPerson,
} from '../../types/auth-handler.js'
import { openTokens, readConnection } from '../connections/connection.js'
import { factorOf } from '../second-factor/demand.js'
import { listWays, passkeysOf } from '../ways/list.js'

/** All that is kept of a person, without tokens and secrets. @throws {StoreUnavailable} */
export async function exportPerson(
  request: AuthRequest,
  sub: string,
): Promise<ExportedPerson | null> {
  const { person } = await readPerson(request, sub)
  const [sessions, ways, connections, passkeys] = await Promise.all([
    exportSessions(request, sub),
    listWays(request, sub),
    connectionsOf(request, sub, person),
    passkeysOf(request, sub),
  ])
  if (sessions.length === 0 && ways.length === 0) return null
  return { sub, sessions, ways, connections, passkeys, factors: factorsIn(person) }
}

function factorsIn(person: Person | undefined): readonly ExportedFactor[] {
  const { added, recovery } = factorOf(person) ?? {}
  if (added === undefined || !recovery) return []
  const since = new Date(added * 1000).toISOString()
  return [{ type: 'totp', added: since, recoveryCodes: recovery.length }]
}

async function connectionsOf(
  request: AuthRequest,
  sub: string,
  person: Person | undefined,
): Promise<readonly ExportedConnection[]> {
  const connections = (person?.ways ?? []).map(async ({ way, provider }) => {
    const connected = { sub, way, provider }
    const { sealed, proved } = await readConnection(request, connected)
    if (sealed === '') return []
    const tokens = await openTokens(request, connected, sealed)
    const scope = tokens?.scope ?? null
    return [{ provider, scope, since: new Date(proved).toISOString() }]
  })
  return (await Promise.all(connections)).flat()
}
