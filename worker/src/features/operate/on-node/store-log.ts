import { LASTING, type LastingRows } from '../../../stores/node/lasting.js'
import type { AuditEntry, WebhookState } from '../../../types.js'
import { AuditLog } from '../log/audit-log.js'
import type { LogSettings } from '../log/log-settings.js'
import type { AuditMethods, ChainHeads, RecordsPage, RecordsQuery } from '../log/record.js'
import { Upkeep } from '../upkeep.js'
import { LogWebhooks } from '../webhooks/log-webhooks.js'
import type { WebhookMethods } from '../webhooks/operations.js'
import { PATIENCE } from '../webhooks/send.js'
import { HOLD } from '../webhooks/sender.js'
import { Documents } from './documents.js'
import { Keeper } from './keeper.js'
import { Lease } from './lease.js'
import { StoreClock } from './store-clock.js'
import { StoredQueue } from './stored-queue.js'
import { StoredRows } from './stored-rows.js'

/** The rules, over the documents of a store. */
interface Parts {
  readonly log: AuditLog
  readonly webhooks: LogWebhooks
  readonly upkeep: Upkeep
}

/**
 * The audit log and the webhooks of a store of Node. Each process that shares the store writes records; one of them, which has the
 * lease, deletes old ones and sends messages. Nothing is read or written before the store is known to belong to this service.
 */
export class StoreLog implements AuditMethods, WebhookMethods {
  readonly #stored: LastingRows
  readonly #clock: StoreClock
  readonly #keeper: Keeper
  /** The store is known to belong to this service, and its clock was asked. */
  #ready: Promise<void> | undefined
  #settings: LogSettings
  #writer: Parts

  /** @param now milliseconds since the epoch */
  constructor(stored: LastingRows, settings: LogSettings, now: () => number) {
    this.#stored = stored
    this.#clock = new StoreClock(now)
    this.#settings = settings
    this.#writer = this.#open(new Documents(stored))
    this.#keeper = new Keeper(
      new Lease(new Documents(stored), (told) => this.#clock.tell(told)),
      (fence) => this.#open(new Documents(stored, () => fence)),
      this.#clock.now,
    )
    stored[LASTING].then(() => this.#keeper.start())
  }

  /** The settings of the newest configuration count. */
  configure(settings: LogSettings): void {
    if (isSame(settings, this.#settings)) return
    this.#settings = settings
    this.#writer = this.#open(new Documents(this.#stored))
    this.#keeper.restart()
  }

  async record(chain: string, entry: AuditEntry, nonce: string): Promise<void> {
    await this.#begun()
    const { log, webhooks } = this.#writer
    await webhooks.begin()
    await log.record(chain, entry, nonce)
  }

  async records(query: RecordsQuery): Promise<RecordsPage> {
    await this.#stored[LASTING]
    return this.#writer.log.records(query)
  }

  async auditHead(): Promise<ChainHeads | null> {
    await this.#stored[LASTING]
    return this.#writer.log.auditHead()
  }

  async webhookState(): Promise<WebhookState> {
    await this.#stored[LASTING]
    // Another process may have sent messages since this one has read their place.
    return this.#open(new Documents(this.#stored)).webhooks.state()
  }

  async resend(seq: number): Promise<boolean> {
    await this.#stored[LASTING]
    return this.#open(new Documents(this.#stored)).webhooks.resend(seq)
  }

  #begun(): Promise<void> {
    this.#ready ??= this.#begin().catch((error) => {
      this.#ready = undefined
      throw error
    })
    return this.#ready
  }

  async #begin(): Promise<void> {
    await this.#stored[LASTING]
    const { now } = await this.#stored.read([])
    this.#clock.tell(now)
  }

  #open(documents: Documents): Parts {
    const { days, webhook } = this.#settings
    const { now } = this.#clock
    const rows = new StoredRows(documents)
    const wait = (milliseconds: number) =>
      new Promise<void>((done) => setTimeout(done, milliseconds))
    const log = new AuditLog({ rows, days, now, wait })
    const ports = {
      fetch: (...asked: Parameters<typeof fetch>) => fetch(...asked),
      now,
      random: Math.random,
      patience: PATIENCE,
      hold: HOLD,
    }
    const webhooks = new LogWebhooks(
      () => webhook,
      rows,
      () => new StoredQueue(documents),
      ports,
    )
    return { log, webhooks, upkeep: new Upkeep(log, webhooks, now) }
  }
}

const logs = new WeakMap<LastingRows, StoreLog>()

/** The log of a store, of which a process has one. */
export function storeLogOf(
  stored: LastingRows,
  settings: LogSettings,
  now: () => number,
): StoreLog {
  const known = logs.get(stored) ?? new StoreLog(stored, settings, now)
  known.configure(settings)
  logs.set(stored, known)
  return known
}

function isSame(one: LogSettings, other: LogSettings): boolean {
  const textOf = ({ days, webhook }: LogSettings) =>
    JSON.stringify([
      days,
      webhook && [webhook.url, webhook.secrets.map(String), webhook.events && [...webhook.events]],
    ])
  return textOf(one) === textOf(other)
}
