import { isSame, type QueueRow, type WebhookQueue } from '../webhooks/queue.js'
import { change, type Documents, type Found, KEYS, seqOf, upwards } from './documents.js'
import { messageKey, recordKey, StoredRows } from './stored-rows.js'

/** Others may change the same message meanwhile. */
const MAX_TRIES = 10
/** Messages that the operator sends again are counted among so many. */
const COUNTED = 1_000
/** Records that are counted one by one. */
const MAX_COUNTED = 20_000
const PART = 500

/**
 * The messages of a store that were not received. A message has a row with its place among the records, and one with
 * its time, by which the soonest is found. Any process may plan a message; only the one with the lease takes them.
 */
export class StoredQueue implements WebhookQueue {
  readonly #documents: Documents
  readonly #rows: StoredRows
  /** Messages under way: their rows are those of the try before. */
  readonly #taken = new Set<number>()

  constructor(documents: Documents) {
    this.#documents = documents
    this.#rows = new StoredRows(documents)
  }

  async get(seq: number): Promise<QueueRow | undefined> {
    return (await this.#read(seq)).row
  }

  async put(row: QueueRow): Promise<void> {
    await this.#replace(row.seq, () => row)
  }

  async delete(seq: number): Promise<void> {
    await this.#replace(seq, () => undefined)
  }

  async settle(
    seq: number,
    before: QueueRow | undefined,
    after: QueueRow | undefined,
  ): Promise<void> {
    await this.#replace(seq, (now) => (isSame(now, before) ? after : now))
  }

  async next(): Promise<number | undefined> {
    const [first] = await this.#soonest()
    return first?.time
  }

  async take(now: number): Promise<QueueRow | undefined> {
    for (const { key, seq, time } of await this.#soonest()) {
      if (time > now) return undefined
      const row = await this.get(seq)
      if (row?.next === time) {
        this.#taken.add(seq)
        return row
      }
      // The record is deleted, or another time counts.
      await this.#documents.commit([change(key, undefined, null)])
    }
    return undefined
  }

  reset(): void {
    this.#taken.clear()
  }

  async failed(limit: number): Promise<readonly QueueRow[]> {
    const found = await this.#documents.first(KEYS.message, limit)
    return found.flatMap((one) => rowIn(one) ?? []).filter(({ tries }) => tries > 0)
  }

  async countUntried(seq: number, events: ReadonlySet<string> | undefined): Promise<number> {
    const found = await this.#documents.first(KEYS.message, COUNTED)
    const queued = new Set(found.flatMap((one) => seqOf(one.key, KEYS.message) ?? []))
    const again = found.filter((one) => rowIn(one)?.tries === 0).length
    const texts = events && [...events].map((event) => `"event":${JSON.stringify(event)}`)
    let later = 0
    for (let next = seq + 1, counted = 0; counted < MAX_COUNTED; counted += PART) {
      const rows = await this.#rows.from(next, PART)
      later += rows.filter(({ seq, content }) => {
        return !queued.has(seq) && (texts?.some((text) => content.includes(text)) ?? true)
      }).length
      const last = rows.at(-1)
      if (!last || rows.length < PART) break
      next = last.seq + 1
    }
    return later + again
  }

  /** The soonest tries that are not under way: more than are begun before it is asked again. */
  async #soonest() {
    const found = await this.#documents.first(KEYS.due, this.#taken.size + 8)
    return found.flatMap(({ key }) => {
      const [time, seq] = key.slice(KEYS.due.length).split(' ').map(Number)
      const isOwn = Number.isSafeInteger(time) && Number.isSafeInteger(seq)
      return isOwn && !this.#taken.has(seq as number)
        ? { key, time: time as number, seq: seq as number }
        : []
    })
  }

  async #read(seq: number): Promise<{ found: Found; row: QueueRow | undefined }> {
    const [found = { raw: null, content: undefined }] = await this.#documents.get([messageKey(seq)])
    return { found, row: rowIn(found) }
  }

  /** A message goes with its record: without one, none is written. */
  async #replace(
    seq: number,
    by: (now: QueueRow | undefined) => QueueRow | undefined,
  ): Promise<void> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const [found, record] = await this.#documents.get([messageKey(seq), recordKey(seq)])
      const now = found && rowIn(found)
      const wanted = by(now)
      const next = record?.raw == null ? undefined : wanted
      if (!next && found?.raw == null) {
        this.#taken.delete(seq)
        return
      }
      const isDone = await this.#documents.commit([
        change(recordKey(seq), record?.raw ?? null),
        change(messageKey(seq), found?.raw ?? null, next ? JSON.stringify(next) : null),
        ...(now?.next == null ? [] : [change(dueKey(now), undefined, null)]),
        // Written last: it may be the same key.
        ...(next?.next == null ? [] : [change(dueKey(next), undefined, '')]),
      ])
      if (isDone) {
        this.#taken.delete(seq)
        return
      }
    }
    throw new Error('Another process does the work of the log.')
  }
}

function dueKey({ next, seq }: QueueRow): string {
  return `${KEYS.due}${upwards(next ?? 0)} ${upwards(seq)}`
}

function rowIn({ content }: Found): QueueRow | undefined {
  try {
    const row = JSON.parse(content ?? '') as QueueRow
    return Number.isSafeInteger(row.seq) ? row : undefined
  } catch {
    return undefined
  }
}
