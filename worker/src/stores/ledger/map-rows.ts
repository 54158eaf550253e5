import type { Rows, Table, Tables } from './rows.js'
import { SweptMap } from './swept-map.js'

type Row = Tables[Table]

/** The ledger's rows in this process's memory. @param now seconds since the epoch */
export function mapRows(now: () => number): Rows {
  const tables = new Map<Table, SweptMap<Row>>()
  const open = <Name extends Table>(name: Name) => {
    const known = tables.get(name)
    const table = known ?? new SweptMap<Row>(now)
    if (!known) tables.set(name, table)
    return table as SweptMap<Tables[Name]>
  }
  return {
    get: (table, key) => open(table).get(key),
    put: (table, key, row) => void open(table).set(key, row),
    change(table, key, columns) {
      const row = open(table).get(key)
      if (row) open(table).set(key, { ...row, ...columns })
    },
    delete: (table, key) => void open(table).delete(key),
    since(table, at, limit) {
      const found = [...open(table)].filter(([, row]) => row.at >= at)
      return found.sort(([, one], [, other]) => one.at - other.at).slice(0, limit)
    },
  }
}
