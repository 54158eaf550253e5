import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import pg from 'pg'
import { afterAll, beforeAll, describe } from 'vitest'
import {
  hasPostgres,
  hasRedis,
  type Server,
  startPostgres,
  startRedis,
} from '../../../../../test/support/servers.js'
import { memoryStore } from '../../../stores/memory.js'
import { postgresStore } from '../../../stores/postgres.js'
import { redisStore } from '../../../stores/redis.js'
import { sqliteStore } from '../../../stores/sqlite.js'
import type { Stored } from '../../../stores/stored.js'
import { type DriverUnderTest, logContract } from '../../../test-support/log-contract.js'
import { emptyDatabase } from '../../../test-support/sqlite.js'
import { SqlRows } from '../log/sql-rows.js'
import { SqlQueue } from '../webhooks/sql-queue.js'
import { change, Documents, KEYS } from './documents.js'
import { StoredQueue } from './stored-queue.js'
import { recordKey, StoredRows } from './stored-rows.js'

const folder = mkdtempSync(join(tmpdir(), 'log-'))
const closing: (() => Promise<unknown> | undefined)[] = []
let postgres: Server | undefined
let redis: Server | undefined
let pool: pg.Pool
let client: Redis
beforeAll(async () => {
  if (hasPostgres) {
    postgres = await startPostgres()
    pool = new pg.Pool({ connectionString: postgres.url })
    closing.push(() => pool.end())
  }
  if (hasRedis) {
    redis = await startRedis()
    client = new Redis(redis.url)
    closing.push(async () => client.disconnect())
  }
})
afterAll(async () => {
  for (const close of closing.toReversed()) await close()
  await Promise.all([postgres?.stop(), redis?.stop()])
  rmSync(folder, { recursive: true, force: true })
})

/** SQL, as an object of the ledger has it. */
async function object(): Promise<DriverUnderTest> {
  const run = emptyDatabase()
  return {
    chain: 'ledger',
    isShared: false,
    open: () => ({ rows: new SqlRows(run), queue: new SqlQueue(run) }),
    async delete(seq) {
      run('DELETE FROM audit WHERE seq = ?', seq)
    },
    async put(seq, at, content) {
      run('INSERT OR REPLACE INTO audit VALUES (?, ?, NULL, ?)', seq, at, content)
    },
    async spoil(name, text) {
      run('INSERT OR REPLACE INTO audit_state (name, value) VALUES (?, ?)', name, text)
    },
  }
}

/** Documents of a store of Node. @param reopen the store, as another process has it */
function stored(reopen: () => Stored): DriverUnderTest {
  const documents = new Documents(reopen())
  const write = async (key: string, content: string | null) => {
    await documents.commit([change(key, undefined, content)])
  }
  return {
    chain: 'store',
    isShared: true,
    open() {
      const own = new Documents(reopen())
      return { rows: new StoredRows(own), queue: new StoredQueue(own) }
    },
    delete: (seq) => write(recordKey(seq), null),
    put: (seq, at, content) => write(recordKey(seq), `${at} -\n${content}`),
    spoil: (name, text) => write(KEYS.state + name, text),
  }
}

const prefix = () => `log_${randomUUID().slice(0, 8)}`

const drivers: [string, boolean, () => Promise<DriverUnderTest>][] = [
  ['SQL in an object of the ledger', true, object],
  [
    'documents in memory',
    true,
    async () => {
      const { rows } = memoryStore()
      return stored(() => rows)
    },
  ],
  [
    'documents in a file',
    true,
    async () => {
      const path = join(folder, `${randomUUID()}.db`)
      return stored(() => {
        const store = sqliteStore(path)
        closing.push(() => store.close())
        return store.rows
      })
    },
  ],
  [
    'documents in Postgres',
    hasPostgres,
    async () => {
      const options = { prefix: prefix() }
      return stored(() => postgresStore(pool, options).rows)
    },
  ],
  [
    'documents in Redis',
    hasRedis,
    async () => {
      const options = { prefix: prefix() }
      return stored(() => redisStore(client, options).rows)
    },
  ],
]

for (const [name, isHere, fresh] of drivers) {
  describe.skipIf(!isHere)(name, () => logContract(fresh))
}
