import { nextTry } from '../../../http/next-try.js'
import type { AuditRecord, FailedWebhook, WebhookState } from '../../../types.js'
import { type AuditRow, type LogRows, newestOf, recordOf } from '../log/rows.js'
import type { QueueRow, WebhookQueue } from './queue.js'
import { type Failure, PATIENCE, type SendPorts, sendMessage } from './send.js'
import type { WebhookSettings } from './settings.js'

export interface SenderPorts extends SendPorts {
  readonly random: () => number
  /** How long one alarm waits for receivers, in milliseconds; their tries go on after it. */
  readonly hold: number
}

/** Tries under way at once. */
const AT_ONCE = 4
/** Tries of one alarm: the free plan of the platform has 50 requests for one. */
const TRIES = 40
/** Rows that are passed over in one alarm, or until the place in the log is kept. */
const PASSED = 100
/** How long one alarm waits for receivers. With the pause it is less than the five seconds until a first try. */
export const HOLD = 2_000
/** From an event to the alarm, so that events soon after each other share one. */
const PAUSE = 2_000
/** After a fault of the storage. */
const FAULT_PAUSE = 60_000
const SHOWN = 100

/** A message that is due: without a row it has its first try. */
interface Due {
  readonly record: AuditRecord
  readonly row: QueueRow | undefined
}

/**
 * Sends the records of one chain. Records are read from a place in the log on, so that a message that is received has
 * no row. Only the alarm starts tries; they go on while the process answers calls.
 *
 * A process that ends loses what is here, and the next one begins again at the place that was kept: messages may be sent twice.
 */
export class WebhookSender {
  readonly #settings: WebhookSettings
  readonly #rows: LogRows
  readonly #queue: WebhookQueue
  readonly #ports: SenderPorts
  readonly #underWay = new Map<Promise<void>, Due>()
  /** Empty before the first record. */
  #chain: string
  /** Up to here first tries have begun. */
  #begun: number
  /** The place that is stored: up to here first tries have ended. */
  #kept: number
  #isRunning = false
  #faults = 0
  #isRetryNext = false
  #pausedUntil = 0

  private constructor(
    settings: WebhookSettings,
    rows: LogRows,
    queue: WebhookQueue,
    { ports, sent, chain }: { ports: SenderPorts; sent: number; chain: string },
  ) {
    this.#settings = settings
    this.#rows = rows
    this.#queue = queue
    this.#ports = ports
    this.#chain = chain
    this.#kept = this.#begun = sent
  }

  static async open(
    settings: WebhookSettings,
    rows: LogRows,
    queue: WebhookQueue,
    ports: SenderPorts,
  ): Promise<WebhookSender> {
    const sent = await placeIn(rows)
    return new WebhookSender(settings, rows, queue, { ports, sent, chain: await rows.chain() })
  }

  /**
   * To be called in the same turn in which a record is written, so that none is left behind.
   *
   * @returns when the alarm has to come; `undefined`: not for this record
   */
  recorded({ seq, event }: AuditRecord): number | undefined {
    if (this.#isWanted(event)) return this.#isRunning ? undefined : this.#ports.now() + PAUSE
    const isNext = this.#begun === seq - 1 && this.#underWay.size === 0
    if (isNext) this.#begun = seq
    // If it is not kept, the alarm passes the records over again.
    if (isNext && seq - this.#kept >= PASSED) this.#keep(seq).catch(() => undefined)
    return undefined
  }

  /** When the alarm has to come, in milliseconds since the epoch; `undefined`: there is nothing to send. */
  async next(): Promise<number | undefined> {
    const now = this.#ports.now()
    const due: number[] = []
    const retry = await this.#queue.next()
    if (retry !== undefined) due.push(retry)
    if ((await this.#rows.from(this.#begun + 1, 1)).length > 0) due.push(now)
    // Tries end by themselves. If the object ends before, the alarm finds their messages again.
    if (this.#underWay.size > 0) due.push(now + PATIENCE + PAUSE)
    if (due.length === 0) return undefined
    const isFull = this.#underWay.size >= AT_ONCE
    return Math.max(Math.min(...due), isFull ? now + PAUSE : now, this.#pausedUntil)
  }

  /** Sends what is due, a bounded part of it. Never throws. */
  async run(): Promise<void> {
    if (this.#isRunning || this.#isPaused()) return
    this.#isRunning = true
    let isHeld = false
    let endHold = () => {}
    const held = new Promise<void>((resolve) => {
      endHold = resolve
    })
    const timer = setTimeout(() => {
      isHeld = true
      endHold()
    }, this.#ports.hold)
    try {
      for (let left = TRIES; !isHeld && !this.#isPaused(); ) {
        while (left > 0 && this.#underWay.size < AT_ONCE && (await this.#begin())) left--
        if (this.#underWay.size === 0) break
        await Promise.race([held, ...this.#underWay.keys()])
      }
      await this.#keepPlace()
    } catch {
      this.#fault()
    } finally {
      clearTimeout(timer)
      this.#isRunning = false
    }
  }

  /** The newest messages that were not received, and how many have had no try. */
  async state(): Promise<WebhookState> {
    const { events } = this.#settings
    const first = [...this.#underWay.values()].filter(({ row }) => row === undefined).length
    const waiting = first + (await this.#queue.countUntried(this.#begun, events))
    const shown = (await this.#queue.failed(SHOWN)).map(async ({ seq, tries, last, next }) => {
      const record = await this.#read(seq)
      if (!record || last === null) return []
      const { id, event, time } = record
      return { id, event, time, tries, last, next: next && new Date(next).toISOString() }
    })
    return { waiting, failed: (await Promise.all(shown)).flat() as FailedWebhook[] }
  }

  /**
   * Plans a message from its first try on, whatever became of it.
   *
   * @returns is there such a record? The alarm has to come now
   */
  async resend(seq: number): Promise<boolean> {
    if (!(await this.#read(seq))) return false
    await this.#queue.put({ seq, tries: 0, last: null, next: this.#ports.now() })
    return true
  }

  #isPaused(): boolean {
    return this.#ports.now() < this.#pausedUntil
  }

  #isWanted(event: string): boolean {
    return this.#settings.events?.has(event) ?? true
  }

  /** Begins one try. First tries and others take turns, so that neither waits for the end of the other. */
  async #begin(): Promise<boolean> {
    this.#isRetryNext = !this.#isRetryNext
    const due = this.#isRetryNext
      ? ((await this.#retry()) ?? (await this.#first()))
      : ((await this.#first()) ?? (await this.#retry()))
    if (!due) return false
    const underWay = this.#try(due).finally(() => this.#underWay.delete(underWay))
    this.#underWay.set(underWay, due)
    return true
  }

  /** The next record that has had no try. */
  async #first(): Promise<Due | undefined> {
    const faults = this.#faults
    for (let passed = 0; passed < PASSED; passed++) {
      const [row] = await this.#rows.from(this.#begun + 1, 1)
      // After a fault meanwhile the place is further back: it would pass over the message that had the fault.
      if (!row || faults !== this.#faults) return undefined
      const { seq } = row
      this.#begun = seq
      const record = await this.#recordOf(row)
      // A row: the object ended after the first try, or the operator has it sent again.
      if (!record || !this.#isWanted(record.event)) continue
      if (await this.#queue.get(seq)) continue
      return { record, row: undefined }
    }
    return undefined
  }

  /** The next message in the queue that is due. */
  async #retry(): Promise<Due | undefined> {
    for (;;) {
      const row = await this.#queue.take(this.#ports.now())
      if (!row) return undefined
      const record = await this.#read(row.seq)
      if (record) return { record, row }
      await this.#queue.delete(row.seq)
    }
  }

  async #try({ record, row }: Due): Promise<void> {
    try {
      const { id, event, time, seq } = record
      const body = JSON.stringify({ type: event, timestamp: time, data: record })
      const failure = await sendMessage({ id, body }, this.#settings, this.#ports)
      await this.#queue.settle(seq, row, failure && this.#after(seq, row, failure))
    } catch {
      this.#fault()
    }
  }

  #after(seq: number, row: QueueRow | undefined, last: Failure): QueueRow {
    const tries = (row?.tries ?? 0) + 1
    return { seq, tries, last, next: nextTry(tries, this.#ports.now(), this.#ports.random()) }
  }

  /** One row for all messages of an alarm. */
  async #keepPlace(): Promise<void> {
    const first = [...this.#underWay.values()].filter(({ row }) => row === undefined)
    const place = Math.min(this.#begun, ...first.map(({ record }) => record.seq - 1))
    if (place > this.#kept) await this.#keep(place)
  }

  async #keep(place: number): Promise<void> {
    await this.#rows.set('sent', place)
    this.#kept = place
  }

  /** `undefined`: there is no such record, or its row is damaged. */
  async #read(seq: number): Promise<AuditRecord | undefined> {
    const [row] = await this.#rows.from(seq, 1)
    return row?.seq === seq ? this.#recordOf(row) : undefined
  }

  async #recordOf(row: AuditRow): Promise<AuditRecord | undefined> {
    this.#chain ||= await this.#rows.chain()
    const record = recordOf(row, this.#chain)
    return 'damaged' in record ? undefined : record
  }

  /** The storage has failed: what is in memory may be wrong. */
  #fault(): void {
    this.#faults++
    this.#queue.reset()
    this.#begun = Math.min(this.#begun, this.#kept)
    this.#pausedUntil = this.#ports.now() + FAULT_PAUSE
  }
}

/**
 * The place in the log from which on records are sent. At first it is behind the newest one: those before it were written while
 * webhooks were off. A place behind the end was written by nobody of ours: no message would be sent.
 */
async function placeIn(rows: LogRows): Promise<number> {
  const { seq } = await newestOf(rows)
  // Another process may have kept a place meanwhile, and recorded an event.
  const place = await rows.setFirst('sent', seq)
  return place > seq ? Math.min(place, (await newestOf(rows)).seq) : place
}
