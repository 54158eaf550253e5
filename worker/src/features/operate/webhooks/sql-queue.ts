import type { RunSql } from '../../../stores/ledger/sqlite-rows.js'
import { isSame, type QueueRow, type WebhookQueue } from './queue.js'

/** How many times of next tries are kept in memory. */
const KNOWN = 500

/**
 * The messages of an object of the ledger that were not received. Each has one row, which a try writes once: a further index would be
 * a second row to pay for, so the soonest tries are known in memory.
 */
export class SqlQueue implements WebhookQueue {
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

  async get(seq: number): Promise<QueueRow | undefined> {
    return this.#get(seq)
  }

  async put(row: QueueRow): Promise<void> {
    this.#put(row)
  }

  async delete(seq: number): Promise<void> {
    this.#delete(seq)
  }

  async settle(
    seq: number,
    before: QueueRow | undefined,
    after: QueueRow | undefined,
  ): Promise<void> {
    // The operator has it sent again: this try was before that.
    if (!isSame(this.#get(seq), before)) return
    if (after) this.#put(after)
    else if (before) this.#delete(seq)
  }

  #get(seq: number): QueueRow | undefined {
    return this.#rows('WHERE seq = ?', seq)[0]
  }

  #put({ seq, tries, last, next }: QueueRow): void {
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

  #delete(seq: number): void {
    if (this.#isThere) this.#run('DELETE FROM webhooks WHERE seq = ?', seq)
    this.#taken.delete(seq)
  }

  async next(): Promise<number | undefined> {
    return this.#first()?.next
  }

  async take(now: number): Promise<QueueRow | undefined> {
    for (;;) {
      const first = this.#first()
      if (!first || first.next > now) return undefined
      this.#soonest.shift()
      const row = this.#get(first.seq)
      if (row?.next !== first.next) continue
      this.#taken.add(row.seq)
      return row
    }
  }

  reset(): void {
    this.#soonest = []
    this.#isMore = true
    this.#taken.clear()
  }

  async failed(limit: number): Promise<readonly QueueRow[]> {
    return this.#rows('WHERE tries > 0 ORDER BY seq DESC LIMIT ?', limit)
  }

  async countUntried(seq: number, events: ReadonlySet<string> | undefined): Promise<number> {
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
