import { kvSessionStore } from '../stores/kv.js'
import { sqliteRows } from '../stores/ledger/sqlite-rows.js'
import { FakeKv } from './kv.js'
import { ledgerOver } from './ledger-over.js'
import { emptyDatabase } from './sqlite.js'

/** KV and a ledger in SQLite, whose contents a test reads. */
export function readableStores() {
  const kv = new FakeKv()
  const run = emptyDatabase()
  const ledger = ledgerOver(sqliteRows(run), Date.now)
  const rowsIn = (table: string) => run(`SELECT * FROM ${table}`)
  return {
    kv,
    run,
    rowsIn,
    inner: { sessions: kvSessionStore(kv.at('here')), ledger },
    /** Everything in KV and in the ledger, as text. */
    stored(): string {
      const tables = run("SELECT name FROM sqlite_master WHERE type = 'table'")
      const rows = tables.flatMap(({ name }) => [name, ...rowsIn(String(name))])
      return JSON.stringify([rows, kv.keys.map((key) => [key, kv.value(key)])])
    },
  }
}
