import { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { hasPostgres, startPostgres } from '../../../test/support/servers.js'
import { storeContract } from '../testing.js'
import { type PostgresPool, postgresStore } from './postgres.js'

async function emptied(pool: PostgresPool): Promise<PostgresPool> {
  await postgresStore(pool).ready()
  for (const table of ['sessions', 'ledger']) await pool.query(`DELETE FROM latchkey_${table}`)
  return pool
}

/** A pool, and how it ends. */
type Start = () => Promise<readonly [PostgresPool, () => Promise<void>]>

const starts: [string, boolean, Start][] = [
  [
    'PGlite',
    true,
    async () => {
      const pool = await PGlite.create()
      return [pool, () => pool.close()]
    },
  ],
  [
    'a server',
    hasPostgres,
    async () => {
      const server = await startPostgres()
      const pool = new pg.Pool({ connectionString: server.url })
      pool.on('error', () => {})
      const stop = async () => {
        await pool.end()
        await server.stop()
      }
      return [pool, stop]
    },
  ],
]

for (const [name, isHere, start] of starts) {
  describe.skipIf(!isHere)(`the contract of stores: Postgres, ${name}`, () => {
    let pool: PostgresPool
    let stop: () => Promise<void>
    beforeAll(async () => {
      ;[pool, stop] = await start()
    })
    afterAll(() => stop())
    const make = async (now: () => number) => postgresStore(await emptied(pool), now)
    const contract = storeContract({
      sessions: async (now) => (await make(now)).sessions,
      ledger: async (now) => (await make(now)).ledger,
    })
    it.each(contract.map(({ name, run }) => [name, run] as const))('%s', (_name, run) => run())
  })
}
