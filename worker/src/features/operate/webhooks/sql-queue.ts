import type { RunSql } from '../../../stores/ledger/sqlite-rows.js'
import type { Failure } from './send.js'

/** A message that is tried again, or is dead. */
export interface QueueRow {
  /** The `seq` of its record. */
  readonly seq: number
  /** How many there have been; 0: the operator has it sent again. */
  readonly tries: number
  /** The last try's; null without one. */
  readonly last: Failure | null
  /** When it is tried again, in milliseconds since the epoch; null: it is dead. */
  readonly next: number | null
}

/** How many times of next tries are kept in memory. */
const KNOWN = 500

/**
 * The messages of an object of the ledger that were not received. Each has one row, which a try writes once: a further index would be
 * a second row to pay for, so the soonest tries are known in memory.
 */
export class WebhookQueue {
  readonly #run: RunSql
  #isThere = false
  /** The soonest tries, in their order. */
  #soonest: { readonly seq: number; readonly next: number }[] = []
  /** Are later tries in the table alone? */
  #isMore = true
  /** Messages under way: their rows are those of the try before. */
  readonly #taken = new Set<number>()

  constructor(run: RunSql) {
    this.#run = run
    this.#isThere = run(`SELECT 1 FROM sqlite_master WHERE name = 'webhooks'`).length > 0
  }

  get(seq: number): QueueRow | undefined {
    return this.#rows('WHERE seq = ?', seq)[0]
  }

  put({ seq, tries, last, next }: QueueRow): void {
    if (!this.#isThere) {
      this.#run(
        'CREATE TABLE webhooks (seq INTEGER PRIMARY KEY, tries INTEGER NOT NULL, last TEXT, next INTEGER)',
      )
      this.#isThere = true
    }
    const statement = 'INSERT OR REPLACE INTO webhooks (seq, tries, last, next) VALUES (?, ?, ?, ?)'
    this.#run(statement, seq, tries, last, next)
    this.#taken.delete(seq)
    if (next !== null) this.#know(seq, next)
  }

  delete(seq: number): void {
    if (this.#isThere) this.#run('DELETE FROM webhooks WHERE seq = ?', seq)
    this.#taken.delete(seq)
  }

  /** With their records, retention deletes the oldest. */
  deleteUpTo(seq: number): void {
    if (this.#isThere) this.#run('DELETE FROM webhooks WHERE seq <= ?', seq)
  }

  /** When the soonest try is due; `undefined`: none is planned. */
  next(): number | undefined {
    return this.#first()?.next
  }

  /** The message whose try is the soonest, if it is due. The caller puts or deletes it after the try. */
  take(now: number): QueueRow | undefined {
    for (;;) {
      const first = this.#first()
      if (!first || first.next > now) return undefined
      this.#soonest.shift()
      const row = this.get(first.seq)
      if (row?.next !== first.next) continue
      this.#taken.add(row.seq)
      return row
    }
  }

  /** Forgets everything in memory. Tries under way do not count. */
  reset(): void {
    this.#soonest = []
    this.#isMore = true
    this.#taken.clear()
  }

  /** Messages whose last try failed, the newest records first. */
  failed(limit: number): readonly QueueRow[] {
    return this.#rows('WHERE tries > 0 ORDER BY seq DESC LIMIT ?', limit)
  }

  /**
   * How many messages have had no try: those of later records, and those that the operator has sent again.
   *
   * @param seq of the last record whose first try has begun
   * @param events that are sent; `undefined`: all
   */
  countUntried(seq: number, events: ReadonlySet<string> | undefined): number {
    const texts = [...(events ?? [])].map((event) => `"event":${JSON.stringify(event)}`)
    const isWanted = texts.map(() => 'instr(content, ?) > 0').join(' OR ') || 'true'
    const isQueued = this.#isThere ? 'seq IN (SELECT seq FROM webhooks)' : 'false'
    const later = this.#count(
      `audit WHERE seq > ? AND (${isWanted}) AND NOT ${isQueued}`,
      seq,
      ...texts,
    )
    return later + (this.#isThere ? this.#count('webhooks WHERE tries = 0') : 0)
  }

  #count(from: string, ...values: (string | number)[]): number {
    return this.#run(`SELECT count(*) AS count FROM ${from}`, ...values)[0]?.count as number
  }

  #first() {
    if (this.#soonest.length === 0 && this.#isMore && this.#isThere) this.#load()
    return this.#soonest[0]
  }

  #load(): void {
    const limit = KNOWN + this.#taken.size
    const rows = this.#rows('WHERE next IS NOT NULL ORDER BY next LIMIT ?', limit)
    const planned = rows.filter(({ seq }) => !this.#taken.has(seq))
    this.#soonest = planned.map(({ seq, next }) => ({ seq, next: next as number }))
    this.#isMore = rows.length === limit
  }

  #know(seq: number, next: number): void {
    const last = this.#soonest.at(-1)
    if (this.#isMore && (!last || next >= last.next)) return
    const index = this.#soonest.findIndex((other) => other.next > next)
    this.#soonest.splice(index < 0 ? this.#soonest.length : index, 0, { seq, next })
    if (this.#soonest.length <= 2 * KNOWN) return
    this.#soonest.length = KNOWN
    this.#isMore = true
  }

  #rows(which: string, ...values: number[]): readonly QueueRow[] {
    if (!this.#isThere) return []
    const statement = `SELECT seq, tries, last, next FROM webhooks ${which}`
    return this.#run(statement, ...values) as unknown as readonly QueueRow[]
  }
}
