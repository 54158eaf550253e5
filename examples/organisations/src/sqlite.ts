import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Database, Statement } from './database.js'

const tables = join(import.meta.dirname, '../migrations/0001_organisations.sql')

/** The tables in a file. @param path `:memory:` for tests */
export function sqlite(path: string): Database {
  const file = new DatabaseSync(path)
  file.exec(readFileSync(tables, 'utf8'))
  const named = (values: readonly (string | number)[]) =>
    Object.fromEntries(values.map((value, index) => [`?${index + 1}`, value]))
  const run = ([sql, ...values]: Statement) => Number(file.prepare(sql).run(named(values)).changes)
  return {
    async rows<Row>(sql: string, ...values: (string | number)[]) {
      return file.prepare(sql).all(named(values)) as Row[]
    },
    async change(...statements) {
      file.exec('BEGIN IMMEDIATE')
      try {
        const changed = statements.map(run)
        file.exec('COMMIT')
        return changed
      } catch (error) {
        file.exec('ROLLBACK')
        throw error
      }
    },
  }
}
