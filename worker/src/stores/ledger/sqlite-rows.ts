import type { Rows, Table, Tables } from './rows.js'

/** Runs one statement. @returns the rows that it finds */
export type RunSql = (
  statement: string,
  ...values: (string | number | null)[]
) => readonly Record<string, unknown>[]

/** The layout of a table. */
type Layout<Row> = {
  readonly key: string
  readonly columns: {
    readonly [Column in keyof Row]: 'TEXT' | 'TEXT NOT NULL' | 'INTEGER' | 'INTEGER NOT NULL'
  }
  /** Is the table stored without `WITHOUT ROWID`, because its rows are long? */
  readonly hasRowid?: true
}

/**
 * The tables as every deployed ledger has them. A new kind of row gets a new table: no statement
 * changes an existing one. `expires` and `at` have an index each, and a row costs one write more
 * for each index (docs/scale.md).
 */
const LAYOUT: { readonly [Name in Table]: Layout<Tables[Name]> } = {
  consumed: { key: 'name', columns: { expires: 'INTEGER NOT NULL' } },
  revoked: { key: 'sid', columns: { at: 'INTEGER NOT NULL', expires: 'INTEGER NOT NULL' } },
  cutoffs: {
    key: 'sub',
    columns: {
      until: 'INTEGER NOT NULL',
      kept: 'TEXT',
      at: 'INTEGER NOT NULL',
      expires: 'INTEGER NOT NULL',
    },
  },
  stale: {
    key: 'name',
    columns: {
      until: 'INTEGER NOT NULL',
      own: 'INTEGER NOT NULL',
      at: 'INTEGER NOT NULL',
      expires: 'INTEGER NOT NULL',
    },
  },
  refreshes: {
    key: 'sid',
    columns: {
      version: 'INTEGER NOT NULL',
      sealed: 'TEXT',
      leased_until: 'INTEGER NOT NULL',
      expires: 'INTEGER NOT NULL',
    },
    hasRowid: true,
  },
  attempts: { key: 'name', columns: { count: 'INTEGER NOT NULL', expires: 'INTEGER NOT NULL' } },
  verifications: {
    key: 'key',
    columns: {
      link: 'TEXT NOT NULL',
      code: 'TEXT NOT NULL',
      sealed: 'TEXT NOT NULL',
      wrong: 'INTEGER NOT NULL',
      expires: 'INTEGER NOT NULL',
    },
    hasRowid: true,
  },
  documents: {
    key: 'key',
    columns: { version: 'INTEGER NOT NULL', content: 'TEXT', expires: 'INTEGER' },
    hasRowid: true,
  },
  handovers: {
    key: 'key',
    columns: {
      count: 'INTEGER NOT NULL',
      after: 'TEXT',
      others: 'INTEGER NOT NULL',
      next: 'INTEGER NOT NULL',
      behind: 'INTEGER NOT NULL',
      seen: 'INTEGER NOT NULL',
      expires: 'INTEGER',
    },
  },
  unhanded: { key: 'key', columns: { expires: 'INTEGER' } },
}

const TABLES = Object.keys(LAYOUT) as Table[]

/** Rows that can be swept. */
export interface SqliteRows extends Rows {
  /**
   * Deletes expired rows, up to a limit for each table.
   *
   * @param now seconds since the epoch
   * @returns when the first remaining row ends; `undefined`: none is left that does
   */
  sweep(now: number, limit: number): number | undefined
  /** The keys of a table after a given one, in their order, up to a limit. */
  after(table: Table, key: string, limit: number): readonly string[]
}

/** The ledger's rows in SQLite. Creates missing tables. */
export function sqliteRows(run: RunSql): SqliteRows {
  for (const statement of TABLES.flatMap(schemaOf)) run(statement)
  const statements = new Map(TABLES.map((table) => [table, statementsOf(table)]))
  const of = (table: Table) => statements.get(table) as ReturnType<typeof statementsOf>
  return {
    get: <Name extends Table>(table: Name, key: string) =>
      run(of(table).get, key)[0] as Tables[Name] | undefined,
    put(table, key, row) {
      const values = of(table).columns.map((column) => row[column as keyof typeof row])
      run(of(table).put, key, ...(values as (string | number | null)[]))
    },
    getAll<Name extends Table>(table: Name, keys: readonly string[]) {
      const rows = run(of(table).getAll, JSON.stringify(keys))
      const { key } = LAYOUT[table]
      return new Map(rows.map((row) => [row[key] as string, row as unknown as Tables[Name]]))
    },
    putAll(table, rows) {
      const all = [...rows].map(([key, row]) => [
        key,
        ...of(table).columns.map((column) => row[column as keyof typeof row]),
      ])
      if (all.length > 0) run(of(table).putAll, JSON.stringify(all))
    },
    change(table, key, columns) {
      const set = Object.keys(columns).map((column) => `${column} = ?`)
      const values = Object.values(columns) as (string | number | null)[]
      run(`UPDATE ${table} SET ${set.join(', ')} WHERE ${LAYOUT[table].key} = ?`, ...values, key)
    },
    delete: (table, key) => void run(of(table).delete, key),
    keys(table, beginning) {
      // By the key's index: `LIKE` would read every row.
      const rows = run(of(table).keys, beginning, `${beginning}\u{10ffff}`)
      return rows.map((row) => row[LAYOUT[table].key] as string)
    },
    entries: (table, beginning, limit) =>
      listed(table, run(of(table).entries, beginning, `${beginning}\u{10ffff}`, limit)),
    since: (table, at, limit) => listed(table, run(of(table).since, at, limit)),
    after: (table, key, limit) =>
      run(of(table).after, key, limit).map((row) => row[LAYOUT[table].key] as string),
    sweep(now, limit) {
      const left = TABLES.flatMap((table) => {
        run(of(table).sweep, now, limit)
        const [row] = run(of(table).first)
        return (row?.first as number | null) ?? []
      })
      return left.length === 0 ? undefined : Math.min(...left)
    },
  }
}

/** Rows that were read with their keys, and the same without. */
function listed<Name extends Table>(table: Name, rows: ReturnType<RunSql>) {
  return rows.map(({ [LAYOUT[table].key]: key, ...row }) => {
    return [key as string, row as unknown as Tables[Name]] as const
  })
}

function schemaOf(table: Table): string[] {
  const { key, columns, hasRowid } = LAYOUT[table]
  // A row without an end costs no entry of the index.
  const which = columns.expires === 'INTEGER' ? ' WHERE expires IS NOT NULL' : ''
  const columnsWithTypes = Object.entries(columns).map(([column, type]) => `${column} ${type}`)
  const all = [`${key} TEXT PRIMARY KEY`, ...columnsWithTypes].join(', ')
  return [
    `CREATE TABLE IF NOT EXISTS ${table} (${all})${hasRowid ? '' : ' WITHOUT ROWID'}`,
    ...('at' in columns ? [`CREATE INDEX IF NOT EXISTS ${table}_at ON ${table} (at)`] : []),
    `CREATE INDEX IF NOT EXISTS ${table}_end ON ${table} (expires)${which}`,
  ]
}

/** One text for each use, which SQLite prepares once. Each finds its rows by an index. */
function statementsOf(table: Table) {
  const { key } = LAYOUT[table]
  const columns = Object.keys(LAYOUT[table].columns)
  const all = [key, ...columns].join(', ')
  const places = ['?', ...columns.map(() => '?')].join(', ')
  const changes = columns.map((column) => `${column} = excluded.${column}`).join(', ')
  const over = `SELECT ${key} FROM ${table} WHERE expires <= ? LIMIT ?`
  return {
    columns,
    get: `SELECT ${columns.join(', ')} FROM ${table} WHERE ${key} = ?`,
    // One statement for many, since each takes its time.
    getAll: `SELECT ${all} FROM ${table} WHERE ${key} IN (SELECT value FROM json_each(?))`,
    putAll: `INSERT INTO ${table} (${all}) SELECT ${[key, ...columns].map((_, at) => `json_extract(value, '$[${at}]')`).join(', ')} FROM json_each(?) WHERE true ON CONFLICT (${key}) DO UPDATE SET ${changes}`,
    put: `INSERT INTO ${table} (${all}) VALUES (${places}) ON CONFLICT (${key}) DO UPDATE SET ${changes}`,
    delete: `DELETE FROM ${table} WHERE ${key} = ?`,
    keys: `SELECT ${key} FROM ${table} WHERE ${key} >= ? AND ${key} < ?`,
    entries: `SELECT ${all} FROM ${table} WHERE ${key} >= ? AND ${key} < ? ORDER BY ${key} LIMIT ?`,
    since: `SELECT ${all} FROM ${table} WHERE at >= ? ORDER BY at LIMIT ?`,
    after: `SELECT ${key} FROM ${table} WHERE ${key} > ? ORDER BY ${key} LIMIT ?`,
    sweep: `DELETE FROM ${table} WHERE ${key} IN (${over})`,
    first: `SELECT expires AS first FROM ${table} WHERE expires IS NOT NULL ORDER BY expires LIMIT 1`,
  }
}
