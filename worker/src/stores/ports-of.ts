import { InvalidConfiguration } from '../errors.js'
import { isOwnLedger } from './ledger/methods.js'
import type { Ledger } from './ledger/rules.js'
import type { ServiceMark, Store, Stores } from './ports.js'
import type { Stored } from './stored.js'
import { transactedLedger } from './transacted-ledger.js'

/**
 * A store as the service uses it: sessions, and a ledger whose rules stand over the store's rows.
 *
 * @throws {InvalidConfiguration} it lacks a part, or a method of one
 */
export function portsOf(store: GivenStore): Stores {
  const { sessions, hear = (ledger) => ledger } = store
  const own = isOwnLedger(store.ledger) ? store.ledger : ledgerOfRows(store)
  const claim = store.claim && ((mark: ServiceMark) => (store as Store).claim?.(mark))
  return { ...store, sessions, ledger: hear(own), ...(claim ? { claim } : {}) } as Stores
}

/** A store of an app's own, or one of this package, which has its ledger already. */
type GivenStore = Pick<Stores, 'sessions' | 'claim'> & {
  readonly rows?: Stored
  readonly ledger?: unknown
  /** An app's process wraps the ledger, so that it learns of its own endings at once. */
  readonly hear?: (ledger: Ledger) => Ledger
}

function ledgerOfRows({ sessions, rows, ledger }: GivenStore): Ledger {
  const missing = [
    ...missingOf('sessions', sessions, ['get', 'put', 'delete', 'list']),
    ...missingOf('rows', rows, ['read', 'commit']),
  ]
  if (!rows || missing.length > 0) {
    const old = ledger === undefined ? '' : ' A `ledger` of your own is not read any more.'
    throw new InvalidConfiguration(
      `\`store\` lacks ${missing.join(' and ')}.${old} Give \`{ sessions, rows }\`, where \`rows\` has \`read\` and \`commit\`: docs/stores.md.`,
    )
  }
  return transactedLedger(rows)
}

function missingOf(part: string, value: unknown, methods: readonly string[]): readonly string[] {
  if (typeof value !== 'object' || value === null) return [`\`${part}\``]
  const given = value as Readonly<Record<string, unknown>>
  return methods.flatMap((name) => (typeof given[name] === 'function' ? [] : `\`${part}.${name}\``))
}
