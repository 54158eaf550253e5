import { type AnyMethod, ledgerOf } from '../stores/ledger/methods.js'
import type { Rows } from '../stores/ledger/rows.js'
import type { Ledger } from '../stores/ledger/rules.js'
import { decide } from '../stores/ledger/rules.js'

/** A ledger in this process, straight over rows. @param now milliseconds since the epoch */
export function ledgerOver(rows: Rows, now: () => number): Ledger {
  return ledgerOf(
    (name): AnyMethod =>
      async (...args) =>
        decide(name, rows, Math.floor(now() / 1000), args),
  )
}
