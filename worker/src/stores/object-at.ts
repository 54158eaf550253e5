import type { Ledger } from '../ledger.js'
import type { Place } from './ledger/placement.js'

/** One object of the ledger. It is made near its region, when it is asked for the first time. */
export function objectAt(
  namespace: DurableObjectNamespace<Ledger>,
  { name, region }: Place,
): DurableObjectStub<Ledger> {
  return namespace.get(namespace.idFromName(name), region && { locationHint: region })
}
