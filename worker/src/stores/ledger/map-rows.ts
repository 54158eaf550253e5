import type { Rows, Table, Tables } from './rows.js'
import { type Room, SweptMap } from './swept-map.js'

type Row = Tables[Table]

/**
 * The most rows of each table. A stranger can have attempts counted and mails sent, so these make
 * room: the attempts of the lowest counts, since a count that is near its limit is what holds off a
 * guesser, and the oldest mails. Endings, used names and rows without an end are never forgotten:
 * without room the next write fails, and its request gets 503.
 */
const ROOM: { readonly [Name in Table]?: Room<Tables[Name]> } = {
  attempts: { most: 100_000, forgets: ({ count }) => count },
  verifications: { most: 20_000, forgets: 'oldest' },
  consumed: { most: 200_000 },
  revoked: { most: 500_000 },
  cutoffs: { most: 100_000 },
  refreshes: { most: 50_000 },
  documents: { most: 100_000 },
}

/** The ledger's rows in this process's memory. @param now seconds since the epoch */
export function mapRows(now: () => number): Rows {
  const tables = new Map<Table, SweptMap<Row>>()
  const open = <Name extends Table>(name: Name) => {
    for (const table of tables.values()) table.tidy()
    const existing = tables.get(name)
    const table = existing ?? new SweptMap<Row>(now, ROOM[name] as Room<Row> | undefined)
    if (!existing) tables.set(name, table)
    return table as unknown as SweptMap<Tables[Name]>
  }
  return {
    get: (table, key) => open(table).get(key),
    put: (table, key, row) => void open(table).set(key, row),
    change(table, key, columns) {
      const row = open(table).get(key)
      if (row) open(table).set(key, { ...row, ...columns })
    },
    delete: (table, key) => void open(table).delete(key),
    keys: (table, beginning) => [...open(table).keys()].filter((key) => key.startsWith(beginning)),
    since(table, at, limit) {
      const rows = [...open(table)].filter(([, row]) => row.at >= at)
      return rows.sort(([, one], [, other]) => one.at - other.at).slice(0, limit)
    },
  }
}
