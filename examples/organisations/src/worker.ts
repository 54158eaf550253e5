import { env } from 'cloudflare:workers'
import type { Environment } from '@latchkey/worker'
import type { AuthBindings } from '@latchkey/worker/ledger'
import { createApp } from './app.js'
import type { Database } from './database.js'

export { Ledger } from '@latchkey/worker/ledger'

type Env = AuthBindings & {
  readonly DB: D1Database
  readonly EMAIL: SendEmail
  readonly AUTH_URL: string
}

const { DB, EMAIL, AUTH_URL } = env as Env

const db: Database = {
  async rows<Row>(sql: string, ...values: (string | number)[]) {
    return (
      await DB.prepare(sql)
        .bind(...values)
        .all<Row>()
    ).results
  },
  async change(...statements) {
    const prepared = statements.map(([sql, ...values]) => DB.prepare(sql).bind(...values))
    return (await DB.batch(prepared)).map(({ meta }) => meta.changes)
  },
}

export default createApp({
  db,
  send: (mail) => EMAIL.send(mail),
  env: env as Environment,
  origin: new URL(AUTH_URL).origin,
})
