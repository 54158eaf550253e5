import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { afterAll, expect, it } from 'vitest'
import { hasPostgres, hasRedis, startPostgres, startRedis } from '../../../test/support/servers.js'
import { memoryStore } from './memory.js'
import type { SessionStore } from './ports.js'
import { postgresStore } from './postgres.js'
import { redisStore } from './redis.js'
import { sqliteStore } from './sqlite.js'

const folder = mkdtempSync(join(tmpdir(), 'listed-part-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Opened {
  readonly sessions: SessionStore
  close(): Promise<unknown>
}

const kinds: [string, boolean, () => Promise<Opened>][] = [
  ['memory', true, async () => ({ ...memoryStore(), close: async () => undefined })],
  ['a file', true, async () => sqliteStore(join(folder, 'sessions.db'))],
  [
    'Postgres',
    hasPostgres,
    async () => {
      const server = await startPostgres()
      const store = postgresStore(server.url)
      return { ...store, close: () => store.close().finally(() => server.stop()) }
    },
  ],
  [
    'Redis',
    hasRedis,
    async () => {
      const server = await startRedis()
      const store = redisStore(new Redis(server.url))
      return { ...store, close: () => store.close().finally(() => server.stop()) }
    },
  ],
]

it.each(kinds.filter(([, isHere]) => isHere))(
  'attack: sessions beyond the first hundred hide from whoever ends all: %s',
  async (_name, _isHere, open) => {
    const { sessions, close } = await open()
    try {
      const now = Math.floor(Date.now() / 1000)
      for (let at = 0; at < 230; at++) {
        const times = { created: now, updated: now + at, expires: now + 3_600 }
        await sessions.put({ sub: 'ada', sid: `sid-${at}`, provider: 'one', sealed: '', ...times })
      }
      const seen = new Set<string>()
      const sizes: number[] = []
      do {
        const page = await sessions.list('ada', { most: 100, except: seen })
        sizes.push(page.length)
        for (const { sid } of page) seen.add(sid)
      } while (sizes.at(-1) !== 0)
      expect([seen.size, sizes]).toEqual([230, [100, 100, 30, 0]])
    } finally {
      await close()
    }
  },
)
