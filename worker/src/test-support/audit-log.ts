import { AuditLog } from '../features/operate/log/audit-log.js'
import { SqlRows } from '../features/operate/log/sql-rows.js'
import type { AuditEntry, AuditHeads, AuditRecord } from '../types/audit.js'
import { emptyDatabase } from './sqlite.js'

export const DAY = 24 * 60 * 60 * 1000
/** When the clock of a log under test begins. */
const START = Date.parse('2026-11-28T12:00:00.000Z')

/** A log in SQLite in memory, under a clock that the test moves. */
export function logUnderTest(days: number | undefined = 30) {
  const run = emptyDatabase()
  let time = START
  let nonces = 0
  const waits: (() => void)[] = []
  const open = (of = days) =>
    new AuditLog({
      rows: new SqlRows(run),
      days: of,
      now: () => time,
      wait: () => new Promise((go) => waits.push(go)),
    })
  let log = open()
  const entry = (event: string, members: Partial<AuditEntry> = {}): AuditEntry => ({
    time: new Date(time).toISOString(),
    event,
    ...members,
  })
  return {
    run,
    entry,
    log: () => log,
    now: () => time,
    pass(milliseconds: number) {
      time += milliseconds
    },
    /** The object restarts, and loses its memory. */
    restart() {
      log = open()
    },
    /** The same with another number of days. */
    reopen(other: number | undefined) {
      days = other
      log = open()
      return log
    },
    /** The waits that the log has begun are over. */
    endWaits() {
      for (const go of waits.splice(0)) go()
    },
    record: (event = 'sign-in', members: Partial<AuditEntry> = {}, nonce = `nonce-${++nonces}`) =>
      log.record('ledger', entry(event, members), nonce),
    /** All records, the oldest first. */
    async all() {
      const { records } = await log.records({ limit: 1_000 })
      return records.toReversed() as AuditRecord[]
    },
    async heads(): Promise<AuditHeads> {
      const heads = await log.auditHead()
      return { days: days ?? 0, chains: heads ? [{ chain: 'ledger', ...heads }] : [] }
    },
  }
}
