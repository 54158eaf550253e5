import { clientNetwork } from '../../http/network.js'
import type { AuthRequest } from '../../http/request.js'
import { deviceOf, nameOfDevice } from '../../session/device.js'
import type { AuditEntry, LogEvent } from '../../types.js'

/** Names networks in records. No other digest is made of a network. */
const NETWORKS = 'network-handle'
/** The bytes of a digest, as many as for a person. */
const BYTES = 16

/** What a record says of an event, without the members that the object of the ledger gives. */
export async function entryOf(request: AuthRequest, event: LogEvent): Promise<AuditEntry> {
  const { app: _, operator = request.operator, ...said } = event
  const members = { ...said, operator, ...(await browserOf(request, event)) }
  // The object of the ledger makes every text one line. JSON leaves out absent members.
  return JSON.parse(JSON.stringify(members)) as AuditEntry
}

/** The digests of a network by every secret in use. */
export function networkNames({ keys }: AuthRequest, network: string): Promise<readonly string[]> {
  return keys.allNamesFor(NETWORKS, network, BYTES)
}

/** The digests of a person, as {@link networkNames}. */
export function personNames({ keys }: AuthRequest, sub: string): Promise<readonly string[]> {
  return keys.allNamesFor('log', sub, BYTES)
}

/** An operator's program is not a browser. */
async function browserOf(request: AuthRequest, { by }: LogEvent) {
  if (request.operator !== undefined || by === 'operator') return {}
  const { userAgent, place } = deviceOf(request.original)
  const network = clientNetwork(request)
  return {
    ...(userAgent ? { device: nameOfDevice({ userAgent }, request.config.english.words) } : {}),
    ...(place ? { place } : {}),
    ...(network ? { network: await request.keys.nameFor(NETWORKS, network, BYTES) } : {}),
  }
}
