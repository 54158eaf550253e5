import type { Ledger } from '../ledger/rules.js'
import { attemptCases } from './attempt-cases.js'
import { documentCases } from './document-cases.js'
import { lifeCases } from './life-cases.js'
import { mailCases } from './mail-cases.js'
import { type ContractCase, type ContractClock, named } from './named.js'
import { refreshCases } from './refresh-cases.js'
import { revocationCases } from './revocation-cases.js'
import { staleCases } from './stale-cases.js'

/**
 * What every ledger does, over rows of any kind, in one object or in several: the rules, which a store need not test.
 *
 * @param clock for a ledger with its own clock. Otherwise it gets a stopped one
 */
export function ledgerContract(
  make: (now: () => number) => Ledger | Promise<Ledger>,
  clock?: ContractClock,
): readonly ContractCase[] {
  const cases = {
    ...revocationCases,
    ...refreshCases,
    ...staleCases,
    ...mailCases,
    ...attemptCases,
    ...documentCases,
    ...lifeCases,
  }
  return named('ledger', cases, make, clock)
}
