import type { AuthRequest } from '../../http/request.js'
import type { Ledger } from '../../stores/ledger/rules.js'
import type { Life } from '../../stores/ledger/types.js'

export function ledgerOf({ stores }: Pick<AuthRequest, 'stores'>): Ledger {
  return stores.ledger
}

/** The life of a document that ends alone: not with "everywhere", which ends sessions. */
export function ofItself(id: string): Life {
  return { sid: id, owner: { sub: id, auth_time: Number.MAX_SAFE_INTEGER } }
}
