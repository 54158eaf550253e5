import { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { hasPostgres, startPostgres } from '../../../test/support/servers.js'
import { storeContract } from '../testing.js'
import { ledgerContract } from './contract/ledger-contract.js'
import { openStore, type PostgresPool, postgresStore } from './postgres.js'

clock({ start: 'now' })

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
    let made = 0
    // Tables of its own: the store of the case before may still sweep, by a clock that is ahead.
    const make = async (now: () => number) => {
      const store = postgresStore(pool, { now, prefix: `case_${++made}` })
      await store.ready()
      return store
    }
    const contract = [
      ...storeContract({
        sessions: async (now) => (await make(now)).sessions,
        rows: async (now) => (await make(now)).rows,
      }),
      ...ledgerContract(async (now) => (await make(now)).ledger),
    ]
    it.each(contract.map(({ name, run }) => [name, run] as const))('%s', (_name, run) => run())

    // PGlite runs in this process, by the same clock.
    if (name !== 'PGlite') {
      it('a process whose clock is a day behind lists what it ends at the time of Postgres', async () => {
        const { ledger } = postgresStore(await emptied(pool))
        const real = Math.floor(Date.now() / 1000)
        vi.setSystemTime(Date.now() - 86_400_000)
        await ledger.revoke('sid', real + 3_600)
        const { sessions, next } = await ledger.revokedSince(real - 60)
        expect(sessions.map(({ sid }) => sid)).toEqual(['sid'])
        expect(next).toBeGreaterThan(real - 60)
      })
    }

    it('rows that are over are swept, by writes of anything', async () => {
      let now = Date.now()
      const begun = Math.floor(now / 1000)
      const { ledger, sessions } = postgresStore(await emptied(pool), () => now)
      const [sub, provider, sealed] = ['ada', 'fake', 'sealed']
      const times = { created: begun, updated: begun, expires: begun + 60 }
      const put = (sid: string) => sessions.put({ sub, sid, provider, sealed, ...times })
      await Promise.all(Array.from({ length: 600 }, (_, at) => put(`${at}`)))
      const many = Array.from({ length: 600 }, (_, at) => ledger.consume(`flow ${at}`, begun + 60))
      await Promise.all(many)
      now += 600_000
      await ledger.consume('later', begun + 90_000)
      const left = async () => {
        const counts = ['sessions', 'ledger'].map((table) =>
          pool.query(`SELECT count(*)::int4 AS n FROM latchkey_${table}`),
        )
        return (await Promise.all(counts)).map(({ rows }) => (rows[0] as { n: number }).n)
      }
      // Not yet: a process may have another clock than the one that wrote them.
      expect(await left()).toEqual([600, 601])
      now += 121_000
      await ledger.consume('last', begun + 90_000)
      await expect.poll(left).toEqual([100, 102])
      await ledger.consume('very last', begun + 90_000)
      await expect.poll(left).toEqual([0, 3])
    })
  })
}

describe('a fault of Postgres', () => {
  const PASSWORD = 'p4ssw0rd-of-the-store'
  it.each([
    [{ code: '23505', message: `duplicate ${PASSWORD}`, detail: PASSWORD }, 'Postgres: 23505.'],
    [
      { code: 'ERR_INVALID_URL', message: 'Invalid URL', input: PASSWORD },
      'Postgres: ERR_INVALID_URL.',
    ],
    [{ message: `no such host: postgres://app:${PASSWORD}@db` }, 'Postgres: Error.'],
    [{ message: 'Query read timeout' }, 'Postgres: Query read timeout.'],
  ])('is reported by its code, without its words: %o', async (fault, said) => {
    const query = () => Promise.reject(Object.assign(new Error(fault.message), fault))
    const { ledger, sessions } = postgresStore({ query })
    for (const call of [ledger.isRevoked('sid'), sessions.get('sub', 'sid')]) {
      const error = await call.catch((thrown: Error) => thrown)
      expect(String(error)).toBe(`Error: ${said}`)
      expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain(PASSWORD)
    }
  })

  it('while the tables are made is met again by the next call, and not kept', async () => {
    const pool = await PGlite.create()
    let isDown = true
    const query: PostgresPool['query'] = (...given) =>
      isDown ? Promise.reject(new Error('down')) : pool.query(...given)
    const { ledger } = postgresStore({ query })
    await expect(ledger.consume('flow', 1)).rejects.toThrow('Postgres')
    isDown = false
    expect(await ledger.consume('flow', 1)).toBe(true)
    await pool.close()
  })

  it('that the driver is missing names it', () => {
    const missing = () => {
      throw Object.assign(new Error('Cannot find module'), { code: 'MODULE_NOT_FOUND' })
    }
    const spy = vi
      .spyOn(process, 'getBuiltinModule')
      .mockReturnValue({ createRequire: () => missing, resolve: () => '/' } as never)
    try {
      expect(() => openStore(`postgres://app:${PASSWORD}@db/app`)).toThrow(
        /^The driver pg is not installed: npm install pg$/,
      )
    } finally {
      spy.mockRestore()
    }
  })
})
