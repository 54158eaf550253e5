import { Redis } from 'ioredis'
import { Redis as Redis6 } from 'ioredis6'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { hasRedis, type Server, startRedis } from '../../../test/support/servers.js'
import { storeContract } from '../testing.js'
import { ledgerContract } from './contract/ledger-contract.js'
import { type RedisClient, redisStore } from './redis.js'

clock({ start: 'now' })

interface Client extends RedisClient {
  flushall(): Promise<unknown>
  config(set: 'SET', name: string, value: string): Promise<unknown>
  dbsize(): Promise<number>
  disconnect(): void
}

let server: Server
beforeAll(async () => {
  if (hasRedis) server = await startRedis()
})
afterAll(() => server?.stop())

const clients: [string, boolean, () => Client][] = [
  ['a server, by ioredis 5', hasRedis, () => new Redis(server.url)],
  [
    'a server, by ioredis 6 with a prefix',
    hasRedis,
    () => new Redis6(server.url, { keyPrefix: 'app:' }),
  ],
]

for (const [name, isHere, connect] of clients) {
  describe.skipIf(!isHere)(`the contract of stores: Redis, ${name}`, () => {
    let client: Client
    beforeAll(() => {
      client = connect()
    })
    afterAll(() => client.disconnect())
    const make = async (now: () => number) => {
      await client.flushall()
      return redisStore(client, now)
    }
    const contract = [
      ...storeContract({
        sessions: async (now) => (await make(now)).sessions,
        rows: async (now) => (await make(now)).rows,
      }),
      ...ledgerContract(async (now) => (await make(now)).ledger),
    ]
    it.each(contract.map(({ name, run }) => [name, run] as const))('%s', (_name, run) => run())

    it('a process whose clock is a day behind lists what it ends at the time of Redis', async () => {
      await client.flushall()
      const { ledger } = redisStore(client)
      const real = Math.floor(Date.now() / 1000)
      vi.setSystemTime(Date.now() - 86_400_000)
      await ledger.revoke('sid', real + 3_600)
      const { sessions, next } = await ledger.revokedSince(real - 60)
      expect(sessions.map(({ sid }) => sid)).toEqual(['sid'])
      expect(next).toBeGreaterThan(real - 60)
    })

    it('rows that are over are swept, by writes of anything', async () => {
      let now = Date.now()
      const begun = Math.floor(now / 1000)
      await client.flushall()
      const { ledger } = redisStore(client, () => now)
      const limits = [{ name: 'minute', max: 9, period: 60 }]
      const many = Array.from({ length: 100 }, async (_, at) => {
        await ledger.consume(`flow ${at}`, begun + 60)
        await ledger.admit(`network ${at}`, limits)
        await ledger.revoke(`sid ${at}`, begun + 60)
      })
      await Promise.all(many)
      now += 600_000
      await ledger.consume('later', begun + 90_000)
      // Three rows of each, and the lists of ends, of attempts and of endings.
      expect(await client.dbsize()).toBe(301 + 3)
      now += 121_000
      for (let at = 0; at < 20; at++) await ledger.consume(`last ${at}`, begun + 90_000)
      expect(await client.dbsize()).toBe(21 + 1)
    })

    it('that keeps nothing on its disk is used with a warning, and one that does without', async () => {
      const warned = async () => {
        await client.flushall()
        const warnings = await redisStore(client).claim({ secrets: ['digest'], urls: [] })
        return warnings.map(([code]) => code)
      }
      expect(await warned()).toEqual([])
      await client.config('SET', 'appendonly', 'no')
      try {
        expect(await warned()).toEqual(['store-forgets'])
      } finally {
        await client.config('SET', 'appendonly', 'yes')
      }
    })

    it('that forgets keys if it has no room is refused, until it does not', async () => {
      await client.config('SET', 'maxmemory', '100mb')
      await client.config('SET', 'maxmemory-policy', 'allkeys-lru')
      const store = redisStore(client)
      try {
        await expect(store.ready()).rejects.toThrow('maxmemory-policy to noeviction')
        await expect(store.ledger.isRevoked('sid')).rejects.toThrow('maxmemory-policy')
        await expect(store.sessions.get('ada', 'sid')).rejects.toThrow('maxmemory-policy')
      } finally {
        await client.config('SET', 'maxmemory-policy', 'noeviction')
      }
      expect(await store.ledger.isRevoked('sid')).toBe(false)
      await client.config('SET', 'maxmemory', '0')
    })
  })
}

describe('a fault of Redis', () => {
  it('is reported by its code, without its words and the command', async () => {
    const args = ['the-row-of-somebody']
    const fault = Object.assign(new Error(`ERR unknown command, with args: ${args}`), {
      name: 'ReplyError',
      command: { name: 'evalsha', args },
    })
    const fails = () => Promise.reject(fault)
    const client = { get: async () => null, eval: fails, evalsha: fails }
    const error = await redisStore(client)
      .ledger.isRevoked('sid')
      .catch((thrown: Error) => thrown)
    expect(String(error)).toBe('Error: Redis: ERR.')
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain(args[0])
  })
})
