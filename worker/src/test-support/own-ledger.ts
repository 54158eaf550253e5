import { OWN } from '../stores/ledger/methods.js'
import type { OwnStore, Stores } from '../stores/ports.js'

/** A ledger of a test, in place of the one that this package makes over the rows of a store. */
export function ownLedger<Ledger extends object>(ledger: Ledger): Ledger {
  return { ...ledger, [OWN]: true }
}

/** A ledger and sessions of this package, such as those of a deployment, as `store` of a configuration. */
export function asStore(stores: Stores): OwnStore {
  return stores as OwnStore
}
