import type { AuthRequest } from '../../http/request.js'
import type { Ledger, Life } from '../../stores/ports.js'

/** The ledger, which has the methods of grants: the configuration was checked for them. */
export function ledgerOf({ stores }: Pick<AuthRequest, 'stores'>): Required<Ledger> {
  return stores.ledger as Required<Ledger>
}

/** The life of a document that ends alone: not with "everywhere", which ends sessions. */
export function ofItself(id: string): Life {
  return { sid: id, owner: { sub: id, auth_time: Number.MAX_SAFE_INTEGER } }
}
