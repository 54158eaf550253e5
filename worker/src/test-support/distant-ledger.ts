import { type AnyMethod, ledgerOf } from '../stores/ledger/methods.js'
import type { ListedTable, Rows, Table, Tables } from '../stores/ledger/rows.js'
import { decide } from '../stores/ledger/rules.js'
import { mapRows } from '../stores/memory.js'
import type { Ledger } from '../stores/ports.js'

/** A row, or a list, that a rule needs and that is not loaded yet. */
class NotLoaded extends Error {
  readonly load: (rows: Rows) => void

  constructor(load: (rows: Rows) => void) {
    super('A rule waits for rows.')
    this.load = load
  }
}

/**
 * A ledger whose rows are read and written over a network, in a transaction for each call, as a
 * database would do it: a rule runs over the loaded rows, and again when it needs more.
 */
export function distantLedger(now: () => number): Ledger {
  const stored = mapRows(() => Math.floor(now() / 1000))
  let transaction = Promise.resolve<unknown>(undefined)
  return ledgerOf(
    (name): AnyMethod =>
      (...args) => {
        const run = async () => {
          const loaded = new Map<string, unknown>()
          for (;;) {
            const writes: ((rows: Rows) => void)[] = []
            const seconds = Math.floor(now() / 1000)
            try {
              const answer = decide(name, loadedRows(loaded, writes), seconds, args)
              await roundTrip()
              for (const write of writes) write(stored)
              return answer
            } catch (error) {
              if (!(error instanceof NotLoaded)) throw error
              await roundTrip()
              error.load(stored)
            }
          }
        }
        const result = transaction.then(run)
        transaction = result.catch(() => {})
        return result
      },
  )
}

/** The loaded rows. Nothing is written before the rule has ended. */
function loadedRows(loaded: Map<string, unknown>, writes: ((rows: Rows) => void)[]): Rows {
  const changed = new Map<string, unknown>()
  const look = (id: string, load: (rows: Rows) => unknown) => {
    if (changed.has(id)) return changed.get(id)
    if (loaded.has(id)) return loaded.get(id)
    throw new NotLoaded((rows) => void loaded.set(id, load(rows)))
  }
  const get = <Name extends Table>(table: Name, key: string) =>
    look(`${table} ${key}`, (rows) => rows.get(table, key)) as Tables[Name] | undefined
  return {
    get,
    put(table, key, row) {
      changed.set(`${table} ${key}`, row)
      writes.push((rows) => rows.put(table, key, row))
    },
    change(table, key, columns) {
      changed.set(`${table} ${key}`, { ...get(table, key), ...columns })
      writes.push((rows) => rows.change(table, key, columns))
    },
    delete(table, key) {
      changed.set(`${table} ${key}`, undefined)
      writes.push((rows) => rows.delete(table, key))
    },
    keys: (table, beginning) =>
      look(`${table} keys ${beginning}`, (rows) => rows.keys(table, beginning)) as string[],
    entries: <Name extends Table>(table: Name, beginning: string, limit: number) =>
      look(`${table} entries ${beginning} ${limit}`, (rows) =>
        rows.entries(table, beginning, limit),
      ) as [string, Tables[Name]][],
    since: <Name extends ListedTable>(table: Name, at: number, limit: number) =>
      look(`${table} since ${at}`, (rows) => rows.since(table, at, limit)) as [
        string,
        Tables[Name],
      ][],
  }
}

function roundTrip(): Promise<void> {
  return Promise.resolve()
}
