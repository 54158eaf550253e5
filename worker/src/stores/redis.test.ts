import { Redis } from 'ioredis'
import { Redis as Redis6 } from 'ioredis6'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { hasRedis, type Server, startRedis } from '../../../test/support/servers.js'
import { storeContract } from '../testing.js'
import { type RedisClient, redisStore } from './redis.js'

interface Client extends RedisClient {
  flushall(): Promise<unknown>
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
    const contract = storeContract({
      sessions: async (now) => (await make(now)).sessions,
      ledger: async (now) => (await make(now)).ledger,
    })
    it.each(contract.map(({ name, run }) => [name, run] as const))('%s', (_name, run) => run())
  })
}
