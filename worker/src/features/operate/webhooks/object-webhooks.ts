import type { RunSql } from '../../../stores/ledger/sqlite-rows.js'
import type { AuditRecord, Environment, WebhookState } from '../../../types.js'
import type { AuditRows } from '../log/rows.js'
import { WebhookQueue } from './queue.js'
import { type SenderPorts, WebhookSender } from './sender.js'
import { readWebhook, type WebhookSettings } from './settings.js'

const NOTHING: WebhookState = { waiting: 0, failed: [] }

/** The webhooks of one object of the ledger, by its own variables: as they are now, whenever a message was recorded. */
export class ObjectWebhooks {
  readonly #env: Environment
  readonly #run: RunSql
  readonly #rows: AuditRows
  readonly #ports: SenderPorts
  #sender: WebhookSender | undefined
  #hasBegun = false
  /** `null`: webhooks are off; `undefined`: not read yet, or malformed. */
  #settings: WebhookSettings | null | undefined

  constructor(env: Environment, run: RunSql, rows: AuditRows, ports: SenderPorts) {
    this.#env = env
    this.#run = run
    this.#rows = rows
    this.#ports = ports
  }

  /** To be called before a record is written: records from while webhooks are off are not sent later. */
  begin(): void {
    if (this.#hasBegun) return
    const settings = this.#readSettings()
    if (settings) {
      this.#rows.create()
      this.#open(settings)
    } else if (settings === null && this.#hasPlace()) this.#rows.set('sent', undefined)
    this.#hasBegun = true
  }

  /** @returns when the alarm has to come for this record */
  written(record: AuditRecord): number | undefined {
    try {
      return this.#sender?.recorded(record)
    } catch {
      // The record is there, and the alarm finds it.
      return undefined
    }
  }

  /**
   * What the alarm does.
   *
   * @returns when it has to come next, in milliseconds since the epoch; `undefined`: there is nothing to send
   */
  async send(): Promise<number | undefined> {
    const sender = this.#found()
    await sender?.run()
    return sender?.next()
  }

  state(): WebhookState {
    return this.#found()?.state() ?? NOTHING
  }

  /** @returns is there such a record, and are webhooks on? Then the alarm has to come now */
  resend(seq: number): boolean {
    if (!this.#rows.isThere) return false
    this.begin()
    return this.#sender?.resend(seq) ?? false
  }

  /** Messages go with their records, also when webhooks are off. */
  deleteUpTo(seq: number): void {
    const queue = new WebhookQueue(this.#run)
    queue.deleteUpTo(seq)
  }

  /** `undefined`: webhooks are off, or nothing was recorded since they are on. */
  #found(): WebhookSender | undefined {
    const settings = this.#sender ? undefined : this.#readSettings()
    return settings && this.#hasPlace() ? this.#open(settings) : this.#sender
  }

  #hasPlace(): boolean {
    return this.#rows.isThere && this.#rows.get('sent') !== undefined
  }

  #open(settings: WebhookSettings): WebhookSender {
    const queue = new WebhookQueue(this.#run)
    this.#sender = new WebhookSender(settings, this.#rows, queue, this.#ports)
    return this.#sender
  }

  /** The service refuses a malformed variable. Until it is mended, messages wait. */
  #readSettings(): WebhookSettings | null | undefined {
    if (this.#settings !== undefined) return this.#settings
    try {
      this.#settings = readWebhook(this.#env) ?? null
    } catch {
      // Nobody records anything meanwhile.
    }
    return this.#settings
  }
}
