import { Ledger as CoreLedger } from '../../ledger.js'
import type { RunSql } from '../../stores/ledger/sqlite-rows.js'
import type { AuditEntry, Environment, WebhookState } from '../../types.js'
import { AuditLog } from './log/audit-log.js'
import { auditDays } from './log/days.js'
import type { LogSettings } from './log/log-settings.js'
import type { AuditMethods, ChainHeads, RecordsPage, RecordsQuery } from './log/record.js'
import { SqlRows } from './log/sql-rows.js'
import type { AuditPlaces } from './places.js'
import { Upkeep } from './upkeep.js'
import { LogWebhooks } from './webhooks/log-webhooks.js'
import type { WebhookMethods } from './webhooks/operations.js'
import { PATIENCE } from './webhooks/send.js'
import { HOLD } from './webhooks/sender.js'
import { readWebhook } from './webhooks/settings.js'
import { SqlQueue } from './webhooks/sql-queue.js'
import { runWorks } from './works.js'

/**
 * The ledger with the audit log, and webhooks. Export it from the Worker's entry in the place of the ledger of
 * `@latchkey/worker/ledger`, which it extends: the rows are the same, and a Worker can go back. The log has tables of its own, which
 * are made at the first record.
 *
 * @example export { Ledger } from '@latchkey/worker/features/operate'
 */
export class Ledger extends CoreLedger implements AuditMethods, WebhookMethods {
  #parts:
    | { readonly log: AuditLog; readonly webhooks: LogWebhooks; readonly upkeep: Upkeep }
    | undefined
  /** Until then the alarm is known to be set. Milliseconds since the epoch. */
  #alarm = Number.POSITIVE_INFINITY

  async record(chain: string, entry: AuditEntry, nonce: string): Promise<void> {
    const { log, webhooks } = this.#opened()
    await webhooks.begin()
    await log.record(chain, entry, nonce)
    await this.#wake(log.due)
  }

  records(query: RecordsQuery): Promise<RecordsPage> {
    return this.#opened().log.records(query)
  }

  auditHead(): Promise<ChainHeads | null> {
    return this.#opened().log.auditHead()
  }

  async webhookState(): Promise<WebhookState> {
    return this.#opened().webhooks.state()
  }

  async resend(seq: number): Promise<boolean> {
    const isThere = await this.#opened().webhooks.resend(seq)
    if (isThere) this.#wakeWithRows(Date.now())
    return isThere
  }

  override async alarm(): Promise<void> {
    await super.alarm()
    // A record of the last moment has set an alarm, which a later one may have replaced.
    const time = this.#alarm
    this.#alarm = Number.POSITIVE_INFINITY
    if (time < Number.POSITIVE_INFINITY) await this.#wake(time)
  }

  protected override alsoAtAlarm(): Promise<readonly number[]> {
    const { upkeep } = this.#opened()
    // It has come.
    this.#alarm = Number.POSITIVE_INFINITY
    return runWorks(upkeep.works, Date.now)
  }

  #opened() {
    this.demandUse()
    const { sql } = this.ctx.storage
    const env = this.env as Environment
    if (this.#parts) return this.#parts
    const run: RunSql = (statement, ...values) => sql.exec(statement, ...values).toArray()
    const rows = new SqlRows(run)
    const log = new AuditLog({
      rows,
      days: daysOf(env),
      now: Date.now,
      wait: (milliseconds) => new Promise((done) => setTimeout(done, milliseconds)),
      written: (record) => {
        const time = webhooks.written(record)
        if (time !== undefined) this.#wakeWithRows(time)
      },
    })
    const webhooks = new LogWebhooks(
      () => readWebhook(env),
      rows,
      () => new SqlQueue(run),
      {
        fetch: (...asked) => fetch(...asked),
        now: Date.now,
        random: Math.random,
        patience: PATIENCE,
        hold: HOLD,
      },
    )
    this.#parts = { log, webhooks, upkeep: new Upkeep(log, webhooks, Date.now) }
    return this.#parts
  }

  /**
   * Sees to it that the alarm runs by then, which is soon: an earlier alarm that this replaces comes a moment later. It is stored
   * together with the rows that were written in this turn.
   */
  #wakeWithRows(time: number): void {
    if (this.#alarm > Date.now() && this.#alarm <= time) return
    this.#alarm = time
    this.ctx.waitUntil(this.ctx.storage.setAlarm(time))
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

/** The service refuses an invalid number of days. Until it is mended, records are kept as long as before. */
function daysOf(env: Environment): number | undefined {
  try {
    return auditDays(env)
  } catch {
    return undefined
  }
}

/** A Worker has no process that goes on between requests: a store of its own keeps no log. */
export function logOfStore(
  ..._: [store: object, settings: LogSettings, now: () => number]
): AuditPlaces | undefined {
  return undefined
}
