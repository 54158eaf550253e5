import type { AuditRecord, WebhookState } from '../../../types.js'
import type { LogRows } from '../log/rows.js'
import type { WebhookQueue } from './queue.js'
import { type SenderPorts, WebhookSender } from './sender.js'
import type { WebhookSettings } from './settings.js'

const NOTHING: WebhookState = { waiting: 0, failed: [] }

/**
 * The webhooks of one chain, by the settings of its process: as they are now, whenever a message was recorded.
 */
export class LogWebhooks {
  readonly #readSettings: () => WebhookSettings | undefined
  readonly #rows: LogRows
  readonly #queue: () => WebhookQueue
  readonly #ports: SenderPorts
  #sender: WebhookSender | undefined
  #opening: Promise<WebhookSender> | undefined
  #beginning: Promise<void> | undefined
  /** `null`: webhooks are off; `undefined`: not read yet, or malformed. */
  #settings: WebhookSettings | null | undefined

  /** @param readSettings @throws {InvalidConfiguration} @param queue is called when webhooks are used */
  constructor(
    readSettings: () => WebhookSettings | undefined,
    rows: LogRows,
    queue: () => WebhookQueue,
    ports: SenderPorts,
  ) {
    this.#readSettings = readSettings
    this.#rows = rows
    this.#queue = queue
    this.#ports = ports
  }

  /** To be called before a record is written: records from while webhooks are off are not sent later. */
  begin(): Promise<void> {
    this.#beginning ??= this.#begin().catch((error) => {
      this.#beginning = undefined
      throw error
    })
    return this.#beginning
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
   * The work of the alarm: sends the messages that are due.
   *
   * @returns when it has to come next, in milliseconds since the epoch; `undefined`: there is nothing to send
   */
  async send(): Promise<number | undefined> {
    const sender = await this.#found()
    await sender?.run()
    return sender?.next()
  }

  async state(): Promise<WebhookState> {
    return (await this.#found())?.state() ?? NOTHING
  }

  /** @returns is there such a record, and are webhooks on? Then the alarm has to come now */
  async resend(seq: number): Promise<boolean> {
    if (!(await this.#rows.isThere())) return false
    await this.begin()
    return this.#sender?.resend(seq) ?? false
  }

  async #begin(): Promise<void> {
    const settings = this.#known()
    if (settings) {
      await this.#rows.create()
      await this.#open(settings)
    } else if (settings === null && (await this.#hasPlace())) {
      await this.#rows.set('sent', undefined)
    }
  }

  /** `undefined`: webhooks are off, or nothing was recorded since they are on. */
  async #found(): Promise<WebhookSender | undefined> {
    const settings = this.#sender ? undefined : this.#known()
    return settings && (await this.#hasPlace()) ? this.#open(settings) : this.#sender
  }

  async #hasPlace(): Promise<boolean> {
    return (await this.#rows.isThere()) && (await this.#rows.get('sent')) !== undefined
  }

  /** There is one sender: a second one would send each message again. */
  #open(settings: WebhookSettings): Promise<WebhookSender> {
    this.#opening ??= WebhookSender.open(settings, this.#rows, this.#queue(), this.#ports).then(
      (sender) => {
        this.#sender = sender
        return sender
      },
      (error) => {
        this.#opening = undefined
        throw error
      },
    )
    return this.#opening
  }

  /** The service refuses a malformed variable. Until it is mended, messages wait. */
  #known(): WebhookSettings | null | undefined {
    if (this.#settings !== undefined) return this.#settings
    try {
      this.#settings = this.#readSettings() ?? null
    } catch {
      // Nobody records anything meanwhile.
    }
    return this.#settings
  }
}
