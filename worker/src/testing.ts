import { type ContractCase, type ContractClock, named } from './stores/contract/named.js'
import { rowCases } from './stores/contract/row-cases.js'
import { sessionCases } from './stores/contract/session-cases.js'
import type { SessionStore } from './stores/ports.js'
import type { Stored } from './stores/stored.js'

export type { ContractCase, ContractClock } from './stores/contract/named.js'
export type { SessionRecord, SessionStore, Store } from './stores/ports.js'
export type { Change, Question, QuestionAnswer, Stored } from './stores/stored.js'

/** The parts of a store to be tested: each function makes an empty one for each case. */
export interface ContractStores {
  readonly sessions?: (now: () => number) => SessionStore | Promise<SessionStore>
  readonly rows?: (now: () => number) => Stored | Promise<Stored>
  /** For a store with its own clock. Otherwise the store gets a stopped one. */
  readonly clock?: ContractClock
}

/**
 * The promises of every store, as cases for any test runner: `get` after `put`, commits that count exactly once under
 * any parallelism, lists that lack nothing, rows that stay until their end. About thirty cases, of a few hundred calls
 * at most. The rules of the ledger stand above the rows, so that a store need not test them.
 *
 * @example
 * import { test } from 'node:test'
 *
 * const store = { sessions: (now) => new MySessions(now), rows: (now) => new MyRows(now) }
 * for (const { name, run } of storeContract(store)) test(name, run)
 */
export function storeContract({ sessions, rows, clock }: ContractStores): readonly ContractCase[] {
  return [
    ...(sessions ? named('sessions', sessionCases, sessions, clock) : []),
    ...(rows ? named('rows', rowCases, rows, clock) : []),
  ]
}
