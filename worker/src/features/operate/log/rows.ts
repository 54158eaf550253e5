import type { AuditHead, AuditRecord, DamagedRow } from '../../../types/audit.js'
import { isRecordAt } from './sound-entry.js'

/** A row of the log. */
export interface AuditRow {
  readonly seq: number
  /** When it was written: milliseconds since the epoch. */
  readonly at: number
  readonly content: string
}

/** The values that the log keeps beside its rows. */
export interface LogState {
  /** The chain's name. */
  readonly chain: string
  /** The days of the last record's configuration, for when the log is off again. */
  readonly days: number
  readonly floor: AuditHead
  /** Events of a flood that have no record. */
  readonly omitted: Omitted
  /** Webhooks: messages up to this record have had their first try. */
  readonly sent: number
}

/** The number of omitted events of one minute, by the event. */
export interface Omitted {
  /** Minutes since the epoch. */
  readonly minute: number
  readonly counts: Readonly<Record<string, number>>
}

/**
 * The storage of the rows of one chain. It has none of the rules of the log; `test-support/log-contract.ts` tests it. There
 * are two: SQL in an object of the ledger, which alone writes its chain, and documents in a store of Node, whose processes
 * write one chain together.
 *
 * Nothing comes between the parts of one call: it is stored as a whole, or not at all.
 */
export interface LogRows {
  /** Has there ever been a record? */
  isThere(): Promise<boolean>
  /**
   * Makes what the rows need. To be called before the first record.
   *
   * @param chain its name. A chain keeps its first one
   * @returns the name
   */
  create(chain?: string): Promise<string>
  /**
   * Writes a record.
   *
   * @param nonce of its call, if it has one
   * @param omitted takes the place of the omitted events as they were last read; null: none are left
   * @returns `false`: nothing was written, because another process has written since this one has read
   * @throws {Error} perhaps it was written: `nonces` says so
   */
  append(row: AuditRow, nonce: string | null, omitted?: Omitted | null): Promise<boolean>
  /** The newest rows before a `seq`, the newest first. */
  before(seq: number, limit: number): Promise<readonly AuditRow[]>
  /** The oldest rows from a `seq` on, the oldest first. */
  from(seq: number, limit: number): Promise<readonly AuditRow[]>
  /**
   * The rows with one of these texts, among the newest rows before a `seq`.
   *
   * @param window how many rows are looked at
   */
  containing(
    texts: readonly string[],
    seq: number,
    window: number,
    limit: number,
  ): Promise<readonly AuditRow[]>
  /** The lowest `seq` among the newest rows before a `seq`; `undefined`: there is no row. */
  lowest(seq: number, window: number): Promise<number | undefined>
  /** The nonces of the newest rows, the newest first. */
  nonces(limit: number): Promise<readonly string[]>
  /** How many of the newest rows up to a `seq` were written from a time on and have an event. */
  count(event: string, since: number, seq: number, window: number): Promise<number>
  /** The last of the oldest rows that were all written before a time; `undefined`: there is none. */
  lastBefore(time: number, window: number): Promise<AuditRow | undefined>
  /** Deletes the oldest records, with their messages, and keeps the last of them as the place that the log begins after. */
  retain(floor: AuditHead): Promise<void>
  /**
   * Adds to the omitted events.
   *
   * @param minute of the events, if there are no other ones
   * @returns the minute of all of them
   */
  omit(minute: number, counts: ReadonlyMap<string, number>): Promise<number>
  get<Name extends keyof LogState>(name: Name): Promise<LogState[Name] | undefined>
  /** @param value `undefined` deletes it */
  set<Name extends keyof LogState>(name: Name, value: LogState[Name] | undefined): Promise<void>
  /**
   * Sets a value that is not there.
   *
   * @returns the value that is there then: another process may have been faster
   */
  setFirst<Name extends keyof LogState>(name: Name, value: LogState[Name]): Promise<LogState[Name]>
  /** The chain's name; empty before the first record. */
  chain(): Promise<string>
}

/** The last record that retention has deleted. */
export async function floorOf(rows: LogRows): Promise<AuditHead> {
  return (await rows.get('floor')) ?? { seq: 0, hash: null, time: null }
}

/** The newest record, or the floor. */
export async function newestOf(rows: LogRows): Promise<AuditHead> {
  const [newest] = await rows.before(Number.MAX_SAFE_INTEGER, 1)
  return newest ? headOf(newest, await rows.chain()) : floorOf(rows)
}

/** The omitted events with more of them. */
export function withMore({ minute, counts }: Omitted, more: ReadonlyMap<string, number>): Omitted {
  const all = new Map(Object.entries(counts))
  for (const [event, count] of more) all.set(event, (all.get(event) ?? 0) + count)
  return { minute, counts: Object.fromEntries(all) }
}

/** The record of a row. A row that somebody has changed may have any content. */
export function recordOf({ seq, content }: AuditRow, chain: string): AuditRecord | DamagedRow {
  try {
    const value: unknown = JSON.parse(content)
    if (isRecordAt(value, chain, seq)) return value
  } catch {
    // Not even JSON.
  }
  return { id: `${chain}_${seq}`, chain, seq, damaged: true }
}

/** A row as a place in its chain. A damaged one has no hash, and the time of its row. */
export function headOf(row: AuditRow, chain: string): AuditHead {
  const record = recordOf(row, chain)
  if ('damaged' in record) {
    const time = Number.isFinite(row.at) ? new Date(row.at).toISOString() : null
    return { seq: row.seq, hash: null, time }
  }
  return { seq: row.seq, hash: record.hash, time: record.time }
}
