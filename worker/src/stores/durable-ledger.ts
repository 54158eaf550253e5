import type { Ledger as LedgerObject } from '../ledger.js'
import type { Ledger } from './ports.js'

/** The ledger behind a Durable Object binding. */
export function durableLedger(namespace: DurableObjectNamespace<LedgerObject>): Ledger {
  const object = () => namespace.get(namespace.idFromName('ledger'))
  return {
    consume: async (name, expires) => object().consume(name, expires),
    revoke: async (sid, until) => object().revoke(sid, until),
    isRevoked: async (sid) => object().isRevoked(sid),
    revokedSince: async (since) => object().revokedSince(since),
    refreshedTokens: async (sid) => object().refreshedTokens(sid),
    claimRefresh: async (sid, version, expires) => object().claimRefresh(sid, version, expires),
    settleRefresh: async (sid, version, sealed) => object().settleRefresh(sid, version, sealed),
  }
}
