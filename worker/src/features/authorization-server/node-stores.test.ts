import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  hasPostgres,
  hasRedis,
  startPostgres,
  startRedis,
} from '../../../../test/support/servers.js'
import type { OwnStore } from '../../stores/ports.js'
import { postgresStore } from '../../stores/postgres.js'
import { redisStore } from '../../stores/redis.js'
import { sqliteStore } from '../../stores/sqlite.js'
import { type Browser, claimsIn } from '../../test-support/browser.js'
import { claimsOf, issuer, resource } from '../../test-support/oauth.js'
import { OPTIONS, oauthPeople } from '../../test-support/oauth-people.js'

// Other tests use stores in memory. These use the stores of Node, in a file and at real servers, each by two processes of a service.

const TOKEN_EXCHANGE = {
  grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
  subject_token_type: 'urn:latchkey:params:oauth:token-type:api-key',
}

/** Opens the same store again and again, as each process does. */
type Open = () => OwnStore

function inFile(): Open {
  const path = join(tmpdir(), `apps-${crypto.randomUUID()}.db`)
  onTestFinished(() => {
    for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true })
  })
  return () => {
    const store = sqliteStore(path)
    onTestFinished(() => store.close())
    return store
  }
}

async function atPostgres(): Promise<Open> {
  const server = await startPostgres()
  onTestFinished(() => server.stop())
  return () => {
    const pool = new pg.Pool({ connectionString: server.url })
    pool.on('error', () => {})
    onTestFinished(() => pool.end())
    return postgresStore(pool)
  }
}

async function atRedis(): Promise<Open> {
  const server = await startRedis()
  onTestFinished(() => server.stop())
  return () => {
    const client = new Redis(server.url)
    onTestFinished(() => client.disconnect())
    return redisStore(client)
  }
}

const settings = { ...OPTIONS, keys: { prefix: 'acme' } }

/** The members of answers that these tests read. */
type Told = 'access_token' | 'refresh_token' | 'error'

function process(store: OwnStore) {
  const world = oauthPeople(settings, { store })
  const send = async (path: string, fields: Record<string, string>) => {
    const body = new URLSearchParams(fields)
    const request = new Request(issuer + path, { method: 'POST', body })
    const answer = await world.browser().answer(request)
    const told = (await answer.json()) as Partial<Record<Told, string>>
    return { status: answer.status, ...told }
  }
  return {
    ...world,
    send,
    refresh: (refresh_token = '') =>
      send('/oauth/token', { grant_type: 'refresh_token', client_id: 'notes', refresh_token }),
    exchangeKey: (subject_token: string) =>
      send('/oauth/token', { ...TOKEN_EXCHANGE, subject_token }),
  }
}

const stores: [string, boolean, () => Open | Promise<Open>][] = [
  ['a file', true, inFile],
  ['Postgres', hasPostgres, atPostgres],
  ['Redis', hasRedis, atRedis],
]

for (const [name, isHere, start] of stores) {
  describe.skipIf(!isHere)(`two processes over ${name}`, () => {
    it('begin a grant once, refresh it together, remember the consent, and end each grant that either ends', async () => {
      const open = await start()
      const [one, other] = [process(open()), process(open())]
      const both = <Answer>(ask: (world: typeof one) => Promise<Answer>) =>
        Promise.all(Array.from({ length: 20 }, (_, at) => ask(at % 2 ? one : other)))
      const ada: Browser = await one.signIn('one', 'ada')
      const { code } = await one.letIn(ada)
      const exchanged = await both((world) => world.exchange(code))
      const [begun, ...more] = exchanged.filter(({ status }) => status === 200)
      expect(more).toEqual([])
      expect(claimsOf(begun?.access_token ?? '')).toMatchObject({ sub: claimsIn(ada).sub })

      const refreshed = await both((world) => world.refresh(begun?.refresh_token))
      expect(new Set(refreshed.map(({ status }) => status))).toEqual(new Set([200]))
      const [last = '', ...others] = new Set(refreshed.map((answer) => answer.refresh_token))
      expect(others).toEqual([])

      // Nobody is asked again: the answer is a code.
      expect((await one.authorize(ada)).status).toBe(302)
      await one.send('/oauth/revoke', { client_id: 'notes', token: last })
      expect((await other.refresh(last)).error).toBe('invalid_grant')
      await ada.submit('/auth/apps/remove', { app: 'notes' })
      expect((await one.authorize(ada)).status).toBe(200)

      const fields = { name: 'CI', scope: 'notes:read' }
      const headers = { 'x-auth-return-redirect': '1' }
      const made = await ada.submit('/auth/keys/create', fields, headers)
      const { key } = (await made.json()) as { key: string }
      const used = await both((world) => world.exchangeKey(key))
      expect(new Set(used.map(({ status }) => status))).toEqual(new Set([200]))
      expect(claimsOf(used[0]?.access_token ?? '')).toMatchObject({
        aud: resource,
        client_id: 'api-key',
      })
      await one.send('/oauth/revoke', { token: key })
      expect((await other.exchangeKey(key)).error).toBe('invalid_grant')
      expect([...one.errors, ...other.errors]).toEqual([])
    })
  })
}
