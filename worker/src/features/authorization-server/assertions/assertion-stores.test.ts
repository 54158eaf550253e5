import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import pg from 'pg'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import {
  hasPostgres,
  hasRedis,
  startPostgres,
  startRedis,
} from '../../../../../test/support/servers.js'
import { memoryStore } from '../../../stores/memory.js'
import type { Stores } from '../../../stores/ports.js'
import { postgresStore } from '../../../stores/postgres.js'
import { redisStore } from '../../../stores/redis.js'
import { sqliteStore } from '../../../stores/sqlite.js'
import { assertionWorld } from '../../../test-support/assertion-world.js'
import { FakeLedgers } from '../../../test-support/deployment.js'
import { claimsOf } from '../../../test-support/oauth.js'

// The ids of assertions, and the grants that rest on them, over every kind of store.

/** Opens the same store again and again, as each process or isolate does. */
type Open = () => Stores

async function inFile(): Promise<Open> {
  const path = join(tmpdir(), `assertions-${crypto.randomUUID()}.db`)
  onTestFinished(() => {
    for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true })
  })
  return () => {
    const store = sqliteStore(path)
    onTestFinished(() => store.close())
    return store as unknown as Stores
  }
}

async function atPostgres(): Promise<Open> {
  const server = await startPostgres()
  onTestFinished(() => server.stop())
  return () => {
    const pool = new pg.Pool({ connectionString: server.url })
    pool.on('error', () => {})
    onTestFinished(() => pool.end())
    return postgresStore(pool) as unknown as Stores
  }
}

async function atRedis(): Promise<Open> {
  const server = await startRedis()
  onTestFinished(() => server.stop())
  return () => {
    const client = new Redis(server.url)
    onTestFinished(() => client.disconnect())
    return redisStore(client) as unknown as Stores
  }
}

function inObjects(...layouts: readonly (readonly number[])[]): () => Promise<Open> {
  return async () => {
    const ledgers = new FakeLedgers()
    const memory = memoryStore()
    let turn = 0
    return () => ledgers.storesOf(layouts[turn++ % layouts.length] ?? [1], memory)
  }
}

async function inMemory(): Promise<Open> {
  const store = memoryStore()
  return () => store
}

const stores: [string, boolean, () => Promise<Open>][] = [
  ['memory', true, inMemory],
  ['a file', true, inFile],
  ['Postgres', hasPostgres, atPostgres],
  ['Redis', hasRedis, atRedis],
  ['one object', true, inObjects([1])],
  ['four objects', true, inObjects([4])],
  ['one object that becomes four', true, inObjects([1, 4], [1])],
]

let make: Awaited<ReturnType<typeof assertionWorld>>
beforeAll(async () => {
  make = await assertionWorld()
})

for (const [name, isHere, start] of stores) {
  describe.skipIf(!isHere)(`over ${name}`, () => {
    it('attack: an assertion that is sent to two isolates at once, again and again, gets one token', async () => {
      const open = await start()
      const isolates = [make.world({ store: open() }), make.world({ store: open() })] as const
      const one = await make.assertion()
      const own = await make.clientFields()
      for (const send of [
        (world: (typeof isolates)[0]) => make.send(world, one),
        (world: (typeof isolates)[0]) => make.sendClient(world, own),
      ]) {
        const asked = Array.from({ length: 20 }, (_, at) => send(isolates[at % 2 === 0 ? 0 : 1]))
        const answers = await Promise.all(asked)
        expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
        expect((await send(isolates[1])).status).toBeGreaterThanOrEqual(400)
      }
    })

    it('one grant for all isolates, which ends and begins anew', async () => {
      const open = await start()
      const [one, other] = [make.world({ store: open() }), make.world({ store: open() })]
      const tokens = [
        await make.send(one, await make.assertion()),
        await make.send(other, await make.assertion()),
      ]
      expect(tokens.map(({ status }) => status)).toEqual([200, 200])
      const { sub } = claimsOf(tokens[0]?.accessToken ?? '') as { sub: string }
      const listed = () => one.auth.listApps(sub, one.env, one.context)
      expect(await listed()).toHaveLength(1)
      const before = await make.assertion()
      await other.auth.endApp(sub, 'agent', other.env, other.context)
      expect(await listed()).toHaveLength(0)
      expect((await make.send(one, before)).error).toBe('invalid_grant')
      // A newer one, by the clock of its issuer.
      await new Promise((resolve) => setTimeout(resolve, 1_100))
      const after = await make.send(other, await make.assertion())
      expect(after.status).toBe(200)
      const handles = [...tokens, after].map(({ accessToken }) => claimsOf(accessToken).grant)
      expect(handles[2]).not.toBe(handles[1])
      expect(await listed()).toHaveLength(1)
      expect([...one.errors, ...other.errors]).toEqual([])
    })
  })
}

describe.each([1, 4])('with %i objects the calls are those of the contract', (count) => {
  it.each([
    ['ID-JAG: the first of a person, app, resource', 3, 0],
    ['ID-JAG: a later one', 2, 1],
    ['client_credentials, by a client assertion', 2, 2],
    ['client_credentials, by a secret', 1, 3],
    ['a workload', 2, 4],
    ['a workload with `reuse`', 1, 5],
    ['a made-up assertion', 0, 6],
  ] as const)('%s: %i', async (_, calls, which) => {
    const ledgers = new FakeLedgers()
    const one = make.world({ store: ledgers.storesOf([count]) })
    if (which === 1) await make.send(one, await make.assertion())
    const runs = [
      async () => make.send(one, await make.assertion()),
      async () => make.send(one, await make.assertion()),
      async () => make.sendClient(one, await make.clientFields()),
      async () => make.sendSecret(one),
      async () => make.sendJob(one, 'job'),
      async () => make.sendJob(one, 'pod'),
      async () => make.send(one, (await make.assertion()).replace(/.{9}$/, 'AAAAAAAAA')),
    ]
    const before = ledgers.calls.length
    const answer = await runs[which]?.()
    await one.settled()
    expect(answer?.status).toBe(which === 6 ? 400 : 200)
    expect(ledgers.calls.slice(before)).toHaveLength(calls)
  })
})
