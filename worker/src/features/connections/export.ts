import type { AuthRequest } from '../../http/request.js'
import type { Person } from '../../person/person.js'
import { openTokens, readConnection } from './connection.js'
import type { ExportedConnection } from './types.js'

/** The connections of a person. @throws {StoreUnavailable} */
export async function exportConnections(
  request: AuthRequest,
  sub: string,
  person: Person | undefined,
): Promise<{ readonly connections: readonly ExportedConnection[] }> {
  const connections = (person?.ways ?? []).map(async ({ way, provider }) => {
    const connected = { sub, way, provider }
    const { sealed, proved } = await readConnection(request, connected)
    if (sealed === '') return []
    const tokens = await openTokens(request, connected, sealed)
    const scope = tokens?.scope ?? null
    return [{ provider, scope, since: new Date(proved).toISOString() }]
  })
  return { connections: (await Promise.all(connections)).flat() }
}
