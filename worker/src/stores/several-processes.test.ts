import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { often } from '../../../test/support/holds.js'
import {
  hasPostgres,
  hasRedis,
  type Server,
  startPostgres,
  startRedis,
} from '../../../test/support/servers.js'
import { type LedgerCall, LedgerModel } from '../test-support/ledger-model.js'
import {
  type Answered,
  attempts,
  distinct,
  documents,
  lives,
  mails,
  ordersOf,
  owners,
  refreshes,
  revocations,
  start,
} from '../test-support/planned-calls.js'
import { LOST, type SharedStore, StoreProcess } from '../test-support/store-process.js'
import type { AnyMethod } from './ledger/methods.js'
import { openStore as openPostgres } from './postgres.js'
import { openStore as openRedis } from './redis.js'
import { openStore as openSqlite } from './sqlite.js'

clock({ start })
const begun = start / 1000
const later = begun + 1_000_000

/** The same calls, faults and kills each time, unless a run by hand says otherwise. */
const seed = Number(process.env.PROPERTY_SEED ?? 17)

const openers = { sqlite: openSqlite, postgres: openPostgres, redis: openRedis }

const folder = mkdtempSync(join(tmpdir(), 'several-processes-'))
let postgres: Server
let redis: Server
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
      const schema = `app_${++count}`
      const client = new pg.Client(postgres.url)
      await client.connect()
      await client.query(`CREATE SCHEMA ${schema}`)
      await client.end()
      const options = encodeURIComponent(`-c search_path=${schema}`)
      return { kind: 'postgres', value: `${postgres.url}?options=${options}` }
    },
  ],
  ['Redis', hasRedis, async () => ({ kind: 'redis', value: `${redis.url}/${++count}` })],
]

for (const [name, isHere, fresh] of stores) {
  describe.skipIf(!isHere)(`processes over ${name}`, () => {
    it('one of a hundred calls at once of three processes uses a name up, and one claims a refresh', async () => {
      const store = await fresh()
      const begin = () => StoreProcess.start(store, { now: start })
      const processes = await Promise.all([begin(), begin(), begin()])
      const ask = (call: LedgerCall) =>
        Promise.all(
          Array.from({ length: 100 }, (_, at) => {
            const [method, ...given] = call
            return processes[at % 3]?.call('ledger', method, given)
          }),
        )
      const used = await ask(['consume', 'flow', later])
      expect(used.filter((one) => one === true)).toHaveLength(1)
      expect(used.filter((one) => one === false)).toHaveLength(99)
      const claimed = (await ask(['claimRefresh', 'sid', 0, later])) as { state: string }[]
      expect(claimed.filter(({ state }) => state === 'yours')).toHaveLength(1)
      expect(claimed.filter(({ state }) => state === 'taken')).toHaveLength(99)
      const limits = [{ name: 'hour', max: 7, period: 3_600 }]
      const admitted = await ask(['admit', 'network', limits])
      expect(admitted.filter((wait) => wait === 0)).toHaveLength(7)
      await Promise.all(processes.map((one) => one.kill()))
    })

    it('a process that is killed at any step has made a call whole or not at all, and what it answered stays', async () => {
      const mail = { link: 'l', code: 'c', sealed: 's', expires: begun + 300 }
      const grant = 'grant\nada\na'
      const life = { sid: 'ada-1', also: 'a', owner: { sub: 'ada', auth_time: begun - 100 } }
      const before: LedgerCall[] = [
        ['startVerification', 'a', mail],
        ['changeDocument', 'way\na', 0, 'x'],
        ['liveDocument', grant, life, { version: 0, content: 'x\ny', expires: later }],
      ]
      const during: LedgerCall[] = [
        ['enter', 'flow a', later, 'way\na'],
        ['redeemVerification', 'a', { code: 'c' }],
        ['liveDocument', grant, life, { version: 1, last: 'z', expires: later }],
        ['endAll', ['a', 'b'], later, [grant]],
      ]
      const after: LedgerCall[] = [
        ['document', 'way\na'],
        ['findVerification', 'a', 'l'],
        ['isConsumed', 'flow a'],
        ['documentsOf', 'ada', ['grant']],
        ['liveDocument', grant, life],
      ]
      let kills = 0
      for (let killAt = 0; ; killAt++) {
        const store = await fresh()
        const other = openers[store.kind](store.value, () => start)
        const witness: Pick<StoreProcess, 'call'> = {
          call: (part, name, given) =>
            (other[part as 'ledger'] as unknown as Record<string, AnyMethod>)[name]?.(...given) ??
            Promise.resolve(LOST),
        }
        const killed = await StoreProcess.start(store, { now: start, killAt })
        let models = [new LedgerModel(owners)]
        for (const [by, calls] of [
          [witness, before],
          [killed, during],
          [witness, after],
        ] as const) {
          for (const call of calls) {
            const answered = await askedOf(by, call)
            models = distinct(models.flatMap((model) => ordersOf(model, [answered])))
            expect(models, `killed at ${killAt}: ${JSON.stringify(answered)}`).not.toEqual([])
          }
        }
        const wasKilled = killed.isGone
        await Promise.all([other.close(), killed.kill()])
        if (!wasKilled) break
        kills++
      }
      expect(kills).toBeGreaterThan(3)
    })

    it('a thousand mixed calls, with steps that fail and processes that are killed, are answered as one after the other', async () => {
      const store = await fresh()
      const begin = (at: number) =>
        StoreProcess.start(store, { now: start, faults: 0.008, seed: seed + at })
      const processes = await Promise.all([0, 1, 2].map(begin))
      const steps = fc.sample(
        fc.record({
          calls: fc.array(
            fc.record({
              call: fc.oneof(revocations, refreshes, attempts, mails, documents, lives),
              by: fc.nat(2),
            }),
            { minLength: 1, maxLength: 3 },
          ),
          killed: fc.nat(200),
        }),
        { numRuns: often(500), seed },
      )
      let models = [new LedgerModel(owners)]
      let [calls, lost] = [0, 0]
      for (const [at, step] of steps.entries()) {
        const made = step.calls.map(({ call, by }) => {
          const asked = call()
          return isForOthers(asked) ? undefined : askedOf(processes[by] as StoreProcess, asked)
        })
        const victim = processes[step.killed]
        await victim?.kill()
        const given = (await Promise.all(made)).flatMap((answered) => answered ?? [])
        if (victim) processes[step.killed] = await begin(at)
        calls += given.length
        lost += given.filter(({ answer }) => answer === LOST).length
        models = distinct(models.flatMap((model) => ordersOf(model, given)))
        expect(models, `step ${at} of seed ${seed}: ${JSON.stringify(given)}`).not.toEqual([])
      }
      expect(calls).toBeGreaterThan(often(900))
      expect(lost).toBeGreaterThan(often(20))
      expect(lost).toBeLessThan(calls / 4)
      await Promise.all(processes.map((one) => one.kill()))
    })
  })
}

/** A session that is over would end others: the service asks that first. */
function isForOthers(call: LedgerCall): boolean {
  return call[0] === 'cutOff' && call[1].except !== undefined
}

async function askedOf(by: Pick<StoreProcess, 'call'>, call: LedgerCall): Promise<Answered> {
  const [name, ...given] = call
  return { call, answer: await by.call('ledger', name, given) }
}
