import { createRequire, flushCompileCache } from 'node:module'
import type * as Sqlite from 'node:sqlite'
import { storeLogOf } from '../features/operate/on-node/store-log.js'
import { readWebhook } from '../features/operate/webhooks/settings.js'
import { lastingRowsOf } from '../stores/node/lasting.js'
import type { NodeStore } from '../stores/node/node-store.js'

// A process with a store of its own, for `StoreProcess`: it makes the calls that it is sent. As the environment
// says it is killed after a step of the driver, or what such a step answers is lost.

type Method = (...args: unknown[]) => Promise<unknown>

const { STORE_KIND = '', STORE = '', LOG_DAYS, NOW, KILL_AT, FAULTS, SEED = '1' } = process.env
let steps: number | undefined
let seed = Number(SEED)

/** Mulberry32: the same faults for the same seed. */
function random(): number {
  seed = (seed + 0x6d2b79f5) | 0
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
}

/** Comes after each statement and command. */
function step(): void {
  if (steps === undefined) return
  if (steps++ === Number(KILL_AT)) process.kill(process.pid, 'SIGKILL')
  if (random() < Number(FAULTS ?? 0)) throw new Error('The answer is lost.')
}

function stepsAround<Target extends object>(target: Target, name: keyof Target): void {
  const original = target[name] as Method
  target[name] = async function (this: unknown, ...args: unknown[]) {
    const answer = await original.apply(this, args)
    step()
    return answer
  } as Target[keyof Target]
}

function watchDrivers(): void {
  const builtIn = process.getBuiltinModule as (name: string) => unknown
  const { DatabaseSync } = builtIn('node:sqlite') as typeof Sqlite
  class Watched extends DatabaseSync {
    override prepare(sql: string): Sqlite.StatementSync {
      const statement = super.prepare(sql)
      const all = statement.all.bind(statement) as (...args: unknown[]) => unknown
      const watched = (...args: unknown[]) => {
        const rows = all(...args)
        // One that fails as well would leave the others waiting for a transaction that nothing
        // finishes.
        if (sql !== 'ROLLBACK') step()
        return rows
      }
      return Object.assign(statement, { all: watched })
    }
  }
  const watched = (name: string) =>
    name === 'node:sqlite' ? { DatabaseSync: Watched } : builtIn(name)
  Object.assign(process, { getBuiltinModule: watched })
  const driver = createRequire(import.meta.url)
  if (STORE_KIND === 'postgres') stepsAround(driver('pg').Pool.prototype, 'query')
  if (STORE_KIND === 'redis') {
    for (const name of ['eval', 'evalsha', 'get'] as const) {
      stepsAround(driver('ioredis').Redis.prototype, name)
    }
  }
}

function answer(message: object): void {
  // The test may be over.
  process.send?.(message, undefined, undefined, () => {})
}

watchDrivers()
const { openStore } = await import(`../stores/${STORE_KIND}.js`)
const store: NodeStore = openStore(STORE, NOW ? () => Number(NOW) : undefined)
await store.ready()
const log = LOG_DAYS === undefined ? undefined : await openLog()
steps = 0

async function openLog() {
  await store.claim({ secrets: ['a'], urls: [''] })
  const settings = { days: Number(LOG_DAYS), webhook: readWebhook(process.env) }
  const rows = lastingRowsOf(store)
  return rows && storeLogOf(rows, settings, NOW ? () => Number(NOW) : Date.now)
}

process.on('message', async ({ id, part, name, given: args }: Call) => {
  try {
    const of = part === 'log' ? log : store[part]
    const method = (of as unknown as Record<string, Method>)[name] as Method
    answer({ id, answer: await method.apply(of, [...args]) })
  } catch (error) {
    answer({ id, error: String(error) })
  }
})
process.on('disconnect', () => process.exit())
// A process that is killed would leave nothing to the next one.
flushCompileCache()
process.send?.('ready')

interface Call {
  readonly id: number
  readonly part: 'sessions' | 'ledger' | 'log'
  readonly name: string
  readonly given: readonly unknown[]
}
