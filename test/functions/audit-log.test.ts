import { globSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type AuditHeads, type AuditRecord, verifyAudit } from '@latchkey/worker/migrate'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rootDir } from '../../scripts/wrangler-dev.ts'
import type { Answered, Asked } from '../support/audit-worker.ts'
import { bundleWorker } from '../support/bundle-worker.ts'
import { sources } from '../support/sources.ts'

const FOUR = ['one', 'two', 'three', 'four']

let code: string
let folder: string
let running: Miniflare | undefined
let isolates: readonly ((asked: Asked) => Promise<unknown>)[]

beforeAll(async () => {
  code = await bundleWorker(join(rootDir, 'test/support/audit-worker.ts'), sources)
  folder = await mkdtemp(join(tmpdir(), 'audit-log-'))
  await start('Ledger', FOUR)
})
afterAll(async () => {
  await running?.dispose()
  await rm(folder, { recursive: true, force: true })
})

/**
 * Workers over the same objects, whose rows stay in a folder.
 *
 * @param className the ledger's, with the audit log or without
 */
async function start(
  className: 'Ledger' | 'Core' = 'Ledger',
  names: readonly string[] = ['one'],
): Promise<void> {
  await running?.dispose()
  const workers = names.map((name) => ({
    name,
    modules: [{ type: 'ESModule' as const, path: 'worker.js', contents: code }],
    compatibilityDate: '2026-11-01',
    kvNamespaces: ['SESSIONS'],
    bindings: {
      AUTH_AUDIT_DAYS: '30',
      AUTH_LEDGER_SHARDS: '4',
      AUTH_SECRET: 'a-secret-of-the-tests-0123456789abcdef',
      AUTH_URL: 'https://auth.example/auth',
    },
    durableObjects: {
      LEDGER: { className, scriptName: 'one', useSQLite: true, unsafeUniqueKey: 'ledger' },
    },
  }))
  const options = { workers, resourcePersistencePath: folder }
  running = new Miniflare(convertV4MiniflareOptions(options))
  const miniflare = running
  isolates = await Promise.all(
    names.map(async (name) => {
      const worker = await miniflare.getWorker(name)
      return async (asked: Asked) => {
        const init = { method: 'POST', body: JSON.stringify(asked) }
        const answer = await worker.fetch('https://auth.example/', init)
        if (!answer.ok) throw new Error(await answer.text())
        return answer.json()
      }
    }),
  )
}

const ask = (asked: Asked) => (isolates[0] as (asked: Asked) => Promise<unknown>)(asked)

/** The log of a chain as it is now, and its heads. */
async function read(chain: string) {
  const { records } = (await ask({ chain, call: ['records', { limit: 1_000 }] })) as {
    records: AuditRecord[]
  }
  const ends = (await ask({ chain, call: ['auditHead'] })) as AuditHeads['chains'][number] | null
  const heads: AuditHeads = { days: 30, chains: ends ? [{ ...ends, chain }] : [] }
  return { records, heads }
}

test('two hundred events in parallel from four isolates, with an object that restarts again and again: one chain, each event once', async () => {
  const chain = 'ledger-4-1'
  const events = Array.from({ length: 200 }, (_, at) => `event-${at}`)
  const calls = isolates.map((isolate, at) =>
    isolate({ chain, events: events.filter((_, of) => of % isolates.length === at) }),
  )
  let isDone = false
  const done = Promise.all(calls).finally(() => {
    isDone = true
  })
  let deaths = 0
  while (!isDone && deaths < 5) {
    await ask({ chain, call: ['die'] }).catch(() => deaths++)
    await new Promise((go) => setTimeout(go, 20))
  }
  await done
  expect(deaths).toBeGreaterThan(0)
  const { records, heads } = await read(chain)
  expect(records.map(({ code }) => code).toSorted()).toEqual(events.toSorted())
  expect(await verifyAudit(records, heads)).toMatchObject({ ok: true, records: 200 })
})

test('seventy people sign in at four isolates, are signed out and blocked, while four objects restart: each answered event is in the log once', async () => {
  const chains = [0, 1, 2, 3].map((at) => `ledger-4-${at}`)
  const people = Array.from({ length: 70 }, (_, at) => `person-${at}`)
  const before = await Promise.all(chains.map(read))
  const calls = isolates.map((isolate, at) =>
    isolate({ people: people.filter((_, of) => of % isolates.length === at) }),
  )
  let isDone = false
  const done = Promise.all(calls).finally(() => {
    isDone = true
  })
  for (let deaths = 0; !isDone && deaths < 40; deaths++) {
    await ask({ chain: chains[deaths % 4] as string, call: ['die'] }).catch(() => undefined)
    await new Promise((go) => setTimeout(go, 100))
  }
  const answers = (await done) as Answered[]
  const sum = (of: keyof Answered) => answers.reduce((all, answer) => all + answer[of], 0)
  const logs = await Promise.all(chains.map(read))
  const records: AuditRecord[] = []
  for (const [at, log] of logs.entries()) {
    expect(await verifyAudit(log.records, log.heads)).toMatchObject({ ok: true })
    records.push(...log.records.slice(0, log.records.length - (before[at]?.records.length ?? 0)))
  }
  const of = (wanted: string) => records.filter(({ event }) => event === wanted)
  const signIns = of('sign-in')
  expect(sum('signedIn')).toBe(70)
  // A record that came too late counts as lost, and is there.
  expect(signIns.length).toBeGreaterThanOrEqual(70 - sum('lost'))
  expect(new Set(signIns.map(({ person }) => person)).size).toBe(signIns.length)
  // A call that was not answered may have been recorded: the operator has tried.
  for (const event of ['sessions-ended', 'person-blocked']) {
    expect(new Set(of(event).map(({ person }) => person)).size, event).toBe(70)
  }
  expect(of('person-blocked').length).toBeLessThanOrEqual(sum('tries'))
})

/** The SQL of somebody who has the store, run in the stopped object of a chain. */
function tamper(chain: string, sql: string): void {
  const files = globSync(join(folder, '**/*.sqlite')).filter((file) => !file.includes('metadata'))
  const found = files.filter((file) => {
    const database = new DatabaseSync(file)
    try {
      const [row] = database.prepare(`SELECT value FROM audit_state WHERE name = 'chain'`).all()
      if (row?.value !== JSON.stringify(chain)) return false
      database.exec(sql)
      return true
    } catch {
      return false
    } finally {
      database.close()
    }
  })
  expect(found).toHaveLength(1)
}

const edit = (seq: number, path: string, value: string) =>
  `UPDATE audit SET content = json_set(content, '$.${path}', '${value}') WHERE seq = ${seq};`

const TAMPERED: readonly (readonly [chain: string, sql: string, found: string])[] = [
  ['untouched', '', ''],
  ['event', edit(4, 'event', 'sign-out'), 'edited 4'],
  ['event-and-hash', edit(4, 'event', 'sign-out') + edit(4, 'hash', 'x'), 'edited 4,unlinked 5'],
  ['prev', edit(4, 'prev', 'x'), 'edited 4,unlinked 4'],
  ['rubbish', `UPDATE audit SET content = 'x' WHERE seq = 4`, 'edited 4'],
  ['bytes', `UPDATE audit SET content = x'00ff' WHERE seq = 4`, 'edited 4'],
  ['first', 'DELETE FROM audit WHERE seq = 1', 'missing 1'],
  ['middle', 'DELETE FROM audit WHERE seq IN (4, 5)', 'missing 4'],
  ['last', 'DELETE FROM audit WHERE seq = 10', 'rewritten 10'],
  [
    'swapped',
    'UPDATE audit SET seq = -3 WHERE seq = 3; UPDATE audit SET seq = 3 WHERE seq = 7; UPDATE audit SET seq = 7 WHERE seq = -3',
    'edited 3,edited 7',
  ],
  ['moved', 'UPDATE audit SET seq = 11 WHERE seq = 4', 'missing 4,edited 11'],
  ['added', `INSERT INTO audit SELECT 11, at, NULL, content FROM audit WHERE seq = 4`, 'edited 11'],
  ['state', `DELETE FROM audit_state`, ''],
  ['all', 'DELETE FROM audit', 'rewritten 10'],
  ['dropped', 'DROP TABLE audit', 'gone 10'],
]

test('rows that somebody changes, deletes and swaps in the stopped store are found, each by its place', async () => {
  const saved = new Map<string, AuditHeads>()
  for (const [chain] of TAMPERED) {
    for (let seq = 1; seq <= 10; seq++) await ask({ chain, events: [`event-${seq}`] })
    const { records, heads } = await read(chain)
    expect(await verifyAudit(records, heads)).toMatchObject({ ok: true, records: 10 })
    saved.set(chain, heads)
  }
  await running?.dispose()
  for (const [chain, sql] of TAMPERED) tamper(chain, sql)
  await start()
  const found = await Promise.all(
    TAMPERED.map(async ([chain]) => {
      const { records, heads } = await read(chain)
      const { faults } = await verifyAudit(records, heads, saved.get(chain))
      return [chain, faults.map(({ fault, seq }) => `${fault} ${seq}`).join()]
    }),
  )
  expect(found).toEqual(TAMPERED.map(([chain, , faults]) => [chain, faults]))
})

test('a Worker goes back to the ledger without the log, and forth again: rows and log stay', async () => {
  const chain = 'back-and-forth'
  const consume = () =>
    ask({ chain, call: ['consume', 'flow', Math.floor(Date.now() / 1000) + 900] })
  await start('Core')
  expect(await consume()).toBe(true)
  await start()
  expect(await consume()).toBe(false)
  await ask({ chain, events: ['one', 'two'] })
  await start('Core')
  expect(await consume()).toBe(false)
  await expect(ask({ chain, call: ['auditHead'] })).rejects.toThrow('does not implement')
  await start()
  await ask({ chain, events: ['three'] })
  const { records, heads } = await read(chain)
  expect(await verifyAudit(records, heads)).toMatchObject({ ok: true, records: 3 })
})
