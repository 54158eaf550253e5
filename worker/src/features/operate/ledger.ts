import { Ledger as CoreLedger } from '../../ledger.js'
import type { AuditEntry, Environment } from '../../types.js'
import { AuditLog } from './log/audit-log.js'
import { auditDays } from './log/days.js'
import type { AuditMethods, ChainHeads, RecordsPage, RecordsQuery } from './log/record.js'
import { runWorks, type Work } from './works.js'

/**
 * The ledger with the audit log. Export it from the Worker's entry in the place of the ledger of
 * `@latchkey/worker/ledger`, which it extends: the rows are the same, and a Worker can go back. The log has tables of its own, which
 * are made at the first record.
 *
 * @example export { Ledger } from '@latchkey/worker/features/operate'
 */
export class Ledger extends CoreLedger implements AuditMethods {
  #log: AuditLog | undefined
  /** Until then the alarm is known to be set. Milliseconds since the epoch. */
  #alarm = Number.POSITIVE_INFINITY

  async record(chain: string, entry: AuditEntry, nonce: string): Promise<void> {
    const log = this.#auditLog()
    await log.record(chain, entry, nonce)
    await this.#wake(log.due)
  }

  records(query: RecordsQuery): Promise<RecordsPage> {
    return this.#auditLog().records(query)
  }

  auditHead(): Promise<ChainHeads | null> {
    return this.#auditLog().auditHead()
  }

  protected override alsoAtAlarm(): Promise<readonly number[]> {
    const works: readonly Work[] = [() => this.#auditLog().sweep()]
    return runWorks(works, Date.now)
  }

  #auditLog(): AuditLog {
    const { sql } = this.ctx.storage
    this.#log ??= new AuditLog({
      run: (statement, ...values) => sql.exec(statement, ...values).toArray(),
      days: daysOf(this.env as Environment),
      now: Date.now,
      wait: (milliseconds) => new Promise((done) => setTimeout(done, milliseconds)),
    })
    return this.#log
  }

  /** Sees to it that the alarm runs by then. It asks the storage only if it has to. */
  async #wake(time: number): Promise<void> {
    const now = Date.now()
    if (this.#alarm > now && this.#alarm <= time) return
    const alarm = await this.ctx.storage.getAlarm()
    if (alarm === null || alarm > time) await this.ctx.storage.setAlarm(time)
    this.#alarm = time
  }
}

/** The service refuses a number of days that is none. Until it is mended, records are kept as long as before. */
function daysOf(env: Environment): number | undefined {
  try {
    return auditDays(env)
  } catch {
    return undefined
  }
}
