import type { Ledger as LedgerObject } from '../ledger.js'
import type { Ledger } from './ports.js'

/** The ledger behind a Durable Object binding. */
export function durableLedger(namespace: DurableObjectNamespace<LedgerObject>): Ledger {
  const stub = () => namespace.get(namespace.idFromName('ledger'))
  return {
    consume: async (name, expires) => stub().consume(name, expires),
    revoke: async (sid, until) => stub().revoke(sid, until),
    isRevoked: async (sid) => stub().isRevoked(sid),
    revokedSince: async (since) => stub().revokedSince(since),
  }
}
