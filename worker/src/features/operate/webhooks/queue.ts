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

/**
 * The messages of one chain that were not received, each with one row. `test-support/log-contract.ts` tests it. The sender stands above it. As
 * the records, it is in SQL in an object of the ledger, and in documents in a store of Node.
 */
export interface WebhookQueue {
  get(seq: number): Promise<QueueRow | undefined>
  put(row: QueueRow): Promise<void>
  delete(seq: number): Promise<void>
  /**
   * A try is over: its row is replaced, unless the operator has the message sent again meanwhile.
   *
   * @param before as it was taken; `undefined`: it had no row
   * @param after `undefined` deletes it
   */
  settle(seq: number, before: QueueRow | undefined, after: QueueRow | undefined): Promise<void>
  /** When the soonest try is due; `undefined`: none is planned. */
  next(): Promise<number | undefined>
  /** The message whose try is the soonest, if it is due. The caller settles or deletes it after the try. */
  take(now: number): Promise<QueueRow | undefined>
  /** Forgets everything in memory. Tries under way do not count. */
  reset(): void
  /** Messages whose last try failed, the newest records first. */
  failed(limit: number): Promise<readonly QueueRow[]>
  /**
   * How many messages have had no try: those of later records, and those that the operator has sent again.
   *
   * @param seq of the last record whose first try has begun
   * @param events that are sent; `undefined`: all
   */
  countUntried(seq: number, events: ReadonlySet<string> | undefined): Promise<number>
}

/** Was a row changed since it was read? */
export function isSame(one: QueueRow | undefined, other: QueueRow | undefined): boolean {
  return one?.tries === other?.tries && one?.next === other?.next
}
