import type { Directory, ScimUser } from './scim.js'

/**
 * The tables of scim.ts in D1. A value from a directory is a parameter of a statement, and never a part of its text.
 *
 * ```sql
 * CREATE TABLE scim_user (
 *   company TEXT NOT NULL, id TEXT NOT NULL, userName TEXT NOT NULL COLLATE NOCASE, externalId TEXT NOT NULL, active INTEGER NOT NULL,
 *   PRIMARY KEY (company, id), UNIQUE (company, userName), UNIQUE (company, externalId)
 * );
 * CREATE TABLE scim_subject (
 *   company TEXT NOT NULL, externalId TEXT NOT NULL, subject TEXT NOT NULL, PRIMARY KEY (company, externalId)
 * );
 * ```
 */
export function tablesIn(database: D1Database): Directory {
  return {
    async find(company, by = {}, { from, most } = { from: 0, most: 1 }) {
      const [[column, value] = ['company', company]] = Object.entries(by)
      const where = `FROM scim_user WHERE company = ? AND ${column} = ?`
      const count = database.prepare(`SELECT COUNT(*) AS total ${where}`).bind(company, value)
      const rows = database
        .prepare(`SELECT id, userName, externalId, active ${where} ORDER BY id LIMIT ? OFFSET ?`)
        .bind(company, value, most, from)
      const [total, found] = await Promise.all([count.first<number>('total'), rows.all<Row>()])
      return {
        total: total ?? 0,
        users: found.results.map((row) => ({ ...row, active: row.active === 1 })),
      }
    },
    async save(company, id, user) {
      const statement = user
        ? database
            .prepare(
              'INSERT INTO scim_user VALUES (?, ?, ?, ?, ?) ON CONFLICT (company, id) DO UPDATE SET userName = excluded.userName, externalId = excluded.externalId, active = excluded.active',
            )
            .bind(company, id, user.userName, user.externalId, Number(user.active))
        : database.prepare('DELETE FROM scim_user WHERE company = ? AND id = ?').bind(company, id)
      await statement.run()
    },
    async keepSubject(company, externalId, subject) {
      await database
        .prepare('INSERT OR REPLACE INTO scim_subject VALUES (?, ?, ?)')
        .bind(company, externalId, subject)
        .run()
    },
    async subject(company, externalId) {
      const found = await database
        .prepare('SELECT subject FROM scim_subject WHERE company = ? AND externalId = ?')
        .bind(company, externalId)
        .first<string>('subject')
      return found ?? undefined
    },
  }
}

type Row = Omit<ScimUser, 'active'> & { readonly active: number }
