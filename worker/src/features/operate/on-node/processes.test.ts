import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  hasPostgres,
  hasRedis,
  type Server,
  startPostgres,
  startRedis,
} from '../../../../../test/support/servers.js'
import { startReceiver, verified } from '../../../test-support/receivers.js'
import { LOST, type SharedStore, StoreProcess } from '../../../test-support/store-process.js'
import { SECRET } from '../../../test-support/webhooks.js'
import type { AuditRecord } from '../../../types/audit.js'
import type { ChainHeads, RecordsPage } from '../log/record.js'
import { verifyAudit } from '../log/verify.js'
import { LEASE } from './lease.js'

const folder = mkdtempSync(join(tmpdir(), 'log-processes-'))
let postgres: Server | undefined
let redis: Server | undefined
let count = 0
beforeAll(async () => {
  if (hasPostgres) postgres = await startPostgres()
  if (hasRedis) redis = await startRedis()
})
afterAll(async () => {
  await Promise.all([postgres?.stop(), redis?.stop()])
  rmSync(folder, { recursive: true, force: true })
})

const stores: [string, boolean, () => Promise<SharedStore>][] = [
  [
    'a file',
    true,
    async () => ({ kind: 'sqlite', value: `file:${join(folder, `${++count}.db`)}` }),
  ],
  [
    'Postgres',
    hasPostgres,
    async () => {
      const schema = `log_${++count}`
      const client = new pg.Client(postgres?.url)
      await client.connect()
      await client.query(`CREATE SCHEMA ${schema}`)
      await client.end()
      const options = encodeURIComponent(`-c search_path=${schema}`)
      return { kind: 'postgres', value: `${postgres?.url}?options=${options}` }
    },
  ],
  ['Redis', hasRedis, async () => ({ kind: 'redis', value: `${redis?.url}/${++count}` })],
]

const record = (process: StoreProcess, code: string) =>
  process.call('log', 'record', [
    'store',
    { time: new Date().toISOString(), event: 'sign-in', code },
    randomUUID(),
  ])

async function logOf(process: StoreProcess) {
  const records: AuditRecord[] = []
  for (let next: number | null | undefined; next !== null; ) {
    const query = { limit: 200, ...(next === undefined ? {} : { before: next }) }
    const page = (await process.call('log', 'records', [query])) as RecordsPage
    records.push(...(page.records as AuditRecord[]))
    next = page.next
  }
  const ends = (await process.call('log', 'auditHead', [])) as ChainHeads
  return {
    records: records.toReversed(),
    heads: { days: 30, chains: [{ chain: 'store', ...ends }] },
  }
}

for (const [name, isHere, fresh] of stores) {
  describe.skipIf(!isHere)(`processes over ${name}`, () => {
    test('two write one chain, and one that is killed under load leaves no hole and no fork', async () => {
      const store = await fresh()
      const [first, second] = await Promise.all([
        StoreProcess.start(store, { days: 30, killAt: 60 }),
        StoreProcess.start(store, { days: 30 }),
      ])
      const answered = new Set<string>()
      const load = (process: StoreProcess, name: string) =>
        Promise.all(
          Array.from({ length: 80 }, async (_, at) => {
            const code = `${name}-${at}`
            if ((await record(process, code)) !== LOST) answered.add(code)
          }),
        )
      await Promise.all([load(first, 'first'), load(second, 'second')])
      expect(first.isGone).toBe(true)
      expect([...answered].filter((code) => code.startsWith('second'))).toHaveLength(80)
      const { records, heads } = await logOf(second)
      expect((await verifyAudit(records, heads)).faults).toEqual([])
      const codes = records.map(({ code = '' }) => code)
      expect(new Set(codes).size).toBe(codes.length)
      expect([...answered].filter((code) => !codes.includes(code))).toEqual([])
      await second.kill()
    })

    test('each message is received, also after the process that sends is killed', async () => {
      const receiver = await startReceiver()
      const ids = () => new Set(receiver.received.map(({ headers }) => headers['webhook-id']))
      try {
        const store = await fresh()
        const webhook = { url: receiver.url, secret: SECRET }
        const begin = () => StoreProcess.start(store, { days: 30, webhook })
        const first = await begin()
        await record(first, 'one')
        const known = ids().size
        await expect.poll(() => ids().size, { timeout: 10_000 }).toBeGreaterThan(known)
        const [request] = receiver.received
        expect(request && verified(SECRET, request).data).toMatchObject({ event: 'sign-in' })
        const second = await begin()
        receiver.behavior = 'hang'
        const sent = await Promise.all(['two', 'three'].map((code) => record(second, code)))
        expect(sent).not.toContain(LOST)
        await expect.poll(() => receiver.open(), { timeout: 10_000 }).toBeGreaterThan(0)
        await first.kill()
        receiver.behavior = 204
        const { records } = await logOf(second)
        const wanted = records.filter(({ code }) => ['one', 'two', 'three'].includes(code ?? ''))
        await expect
          .poll(() => wanted.filter(({ id }) => !ids().has(id)), { timeout: LEASE + 10_000 })
          .toEqual([])
        await expect
          .poll(() => second.call('log', 'webhookState', []), { timeout: 10_000 })
          .toEqual({ waiting: 0, failed: [] })
        await second.kill()
      } finally {
        await receiver.stop()
      }
    }, 60_000)
  })
}
