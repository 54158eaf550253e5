import type { AuditLog } from './log/audit-log.js'
import type { LogWebhooks } from './webhooks/log-webhooks.js'
import type { Work } from './works.js'

/** The regular work of one chain: its old records go, and its messages are sent. */
export class Upkeep {
  readonly #log: AuditLog
  readonly #webhooks: LogWebhooks
  readonly #now: () => number
  /** When records have to be deleted; `undefined`: unknown. */
  #sweepAt: number | undefined

  /** @param now milliseconds since the epoch */
  constructor(log: AuditLog, webhooks: LogWebhooks, now: () => number) {
    this.#log = log
    this.#webhooks = webhooks
    this.#now = now
  }

  get works(): readonly Work[] {
    return [() => this.#sweep(), () => this.#webhooks.send()]
  }

  /** Webhooks have work often, and each sweep reads thousands of rows. */
  async #sweep(): Promise<number | undefined> {
    const planned = Math.min(this.#sweepAt ?? 0, this.#log.due)
    if (planned > this.#now()) return planned
    this.#sweepAt = undefined
    this.#sweepAt = await this.#log.sweep()
    return this.#sweepAt
  }
}
