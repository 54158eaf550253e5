import { DatabaseSync } from 'node:sqlite'
import type { Ledger } from '../stores/ledger/rules.js'
import { type RunSql, sqliteRows } from '../stores/ledger/sqlite-rows.js'
import { ledgerOver } from './ledger-over.js'

/** SQL in an empty database in memory. */
export function emptyDatabase(): RunSql {
  const database = new DatabaseSync(':memory:')
  return (statement, ...values) => database.prepare(statement).all(...values)
}

/** A ledger in SQLite, as in a Durable Object, but in this process. */
export function sqliteLedger(now: () => number): Ledger {
  return ledgerOver(sqliteRows(emptyDatabase()), now)
}
