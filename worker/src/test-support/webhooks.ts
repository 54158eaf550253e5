import type { AuditLog } from '../features/operate/log/audit-log.js'
import { AuditLog as Log } from '../features/operate/log/audit-log.js'
import { SqlRows } from '../features/operate/log/sql-rows.js'
import { LogWebhooks } from '../features/operate/webhooks/log-webhooks.js'
import { readWebhook } from '../features/operate/webhooks/settings.js'
import { SqlQueue } from '../features/operate/webhooks/sql-queue.js'
import type { RunSql } from '../stores/ledger/sqlite-rows.js'
import type { AuditEntry, AuditRecord, Environment } from '../types.js'
import { emptyDatabase } from './sqlite.js'

export const SECRET = `whsec_${btoa('a secret of 24 bytes, see')}`

const WRITES = /^\s*(?:INSERT|UPDATE|DELETE|CREATE)/

/**
 * The log and the webhooks of an object of the ledger, in SQLite in memory, under an alarm and a clock that the test moves. The
 * network is real.
 *
 * @param hold how long an alarm waits for receivers, in milliseconds: long, unless one hangs
 */
export function objectWithWebhooks(variables: Environment, hold = 60_000) {
  const database = emptyDatabase()
  let env: Environment = { AUTH_WEBHOOK_SECRET: SECRET, ...variables }
  // A receiver compares the time of a message with its own.
  let time = Date.now()
  let nonces = 0
  let writes = 0
  let alarm: number | undefined
  let fault: ((statement: string) => void) | undefined
  let underWay = new Set<Promise<unknown>>()
  const open = () => {
    const life = { left: Number.POSITIVE_INFINITY }
    const run: RunSql = (statement, ...values) => {
      if (life.left <= 0) throw new Error('The object has ended.')
      life.left--
      fault?.(statement)
      if (WRITES.test(statement)) writes++
      return database(statement, ...values)
    }
    const calls = new Set<Promise<unknown>>()
    underWay = calls
    const rows = new SqlRows(run)
    const log: AuditLog = new Log({
      rows,
      days: 90,
      now: () => time,
      wait: () => Promise.resolve(),
      written: (record) => wake(webhooks.written(record), life.left),
    })
    const webhooks = new LogWebhooks(
      () => readWebhook(env),
      rows,
      () => new SqlQueue(run),
      {
        fetch: (...asked) => {
          const call = fetch(...asked)
          const ended = call.catch(() => undefined).finally(() => calls.delete(ended))
          calls.add(ended)
          return call
        },
        now: () => time,
        random: Math.random,
        patience: 60_000,
        hold,
      },
    )
    return { log, webhooks, life }
  }
  const wake = (at: number | undefined, left = 1) => {
    if (at !== undefined && left > 0) alarm = Math.min(at, alarm ?? at)
  }
  let object = open()
  const rows = (statement: string) => database(statement) as Record<string, unknown>[]
  return {
    now: () => time,
    alarm: () => alarm,
    writes: () => writes,
    state: () => object.webhooks.state(),
    tables: () => rows('SELECT name FROM sqlite_master').map(({ name }) => name),
    queued: () => rows('SELECT * FROM webhooks'),
    sql: database,
    pass(milliseconds: number) {
      time += milliseconds
    },
    async record(event = 'sign-in', members: Partial<AuditEntry> = {}, nonce = `${++nonces}`) {
      await object.webhooks.begin()
      const entry = { time: new Date(time).toISOString(), event, ...members }
      await object.log.record('ledger', entry, nonce)
    },
    async records() {
      const { records } = await object.log.records({ limit: 1_000 })
      return records.toReversed() as AuditRecord[]
    },
    async resend(seq: number) {
      const isThere = await object.webhooks.resend(seq)
      if (isThere) wake(time)
      return isThere
    },
    /** The alarm comes when it is due, or now if it is later. */
    async ring() {
      time = Math.max(time, alarm ?? time)
      alarm = undefined
      wake(await object.webhooks.send())
    },
    /** Tries under way have ended, and what follows from them. */
    async settled() {
      await Promise.all(underWay)
      await new Promise((resolve) => setTimeout(resolve))
    },
    /** The object ends, and begins again with its rows, perhaps under other variables. */
    restart(others: Environment = {}) {
      // Work that the object has begun ends with it.
      object.life.left = 0
      env = { ...env, ...others }
      object = open()
    },
    /** The object ends before the statement after so many ones. */
    endAfter(statements: number) {
      object.life.left = statements
    },
    hasEnded: () => object.life.left <= 0,
    /** What runs before each statement, and may throw. */
    break(by: ((statement: string) => void) | undefined) {
      fault = by
    },
    deleteUpTo: (seq: number) => object.log.rows.retain({ seq, hash: null, time: null }),
  }
}
