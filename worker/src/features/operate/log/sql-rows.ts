import type { RunSql } from '../../../stores/ledger/sqlite-rows.js'
import type { AuditHead, AuditRecord, DamagedRow } from '../../../types/audit.js'
import { isRecordAt } from './sound-entry.js'

/** A row of the log. */
export interface AuditRow {
  readonly seq: number
  /** When it was written, by the object's clock: milliseconds since the epoch. */
  readonly at: number
  readonly content: string
}

/** The values that the log keeps beside its rows. */
interface State {
  /** The object's name. */
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
interface Omitted {
  /** Minutes since the epoch. */
  readonly minute: number
  readonly counts: Readonly<Record<string, number>>
}

const NO_FLOOR: AuditHead = { seq: 0, hash: null, time: null }

/**
 * The rows of the log in an object of the ledger. The tables are made at the first record. They have no further index: each one would
 * be a row more to pay for a record.
 */
export class AuditRows {
  readonly #run: RunSql
  #isThere = false

  constructor(run: RunSql) {
    this.#run = run
  }

  /** Has this object ever had a record? */
  get isThere(): boolean {
    this.#isThere ||= this.#run(`SELECT 1 FROM sqlite_master WHERE name = 'audit'`).length > 0
    return this.#isThere
  }

  create(): void {
    if (this.isThere) return
    this.#run(
      'CREATE TABLE IF NOT EXISTS audit_state (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID',
    )
    this.#run(
      'CREATE TABLE audit (seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, nonce TEXT, content TEXT NOT NULL)',
    )
    this.#isThere = true
  }

  /** @throws {Error} there is a row with this `seq` */
  insert({ seq, at, content }: AuditRow, nonce: string | null): void {
    const statement = 'INSERT INTO audit (seq, at, nonce, content) VALUES (?, ?, ?, ?)'
    this.#run(statement, seq, at, nonce, content)
  }

  /** The newest rows before a `seq`, the newest first. */
  before(seq: number, limit: number): readonly AuditRow[] {
    return this.#rows('WHERE seq < ? ORDER BY seq DESC LIMIT ?', seq, limit)
  }

  /** The oldest rows from a `seq` on, the oldest first. */
  from(seq: number, limit: number): readonly AuditRow[] {
    return this.#rows('WHERE seq >= ? ORDER BY seq LIMIT ?', seq, limit)
  }

  /**
   * Those of the newest rows before a `seq` that contain one of these texts.
   *
   * @param window how many rows are looked at
   */
  containing(
    texts: readonly string[],
    seq: number,
    window: number,
    limit: number,
  ): readonly AuditRow[] {
    const has = texts.map(() => 'instr(content, ?) > 0').join(' OR ') || 'false'
    return this.#run(
      `SELECT seq, at, content FROM (SELECT * FROM audit WHERE seq < ? ORDER BY seq DESC LIMIT ?)
       WHERE ${has} ORDER BY seq DESC LIMIT ?`,
      seq,
      window,
      ...texts,
      limit,
    ) as unknown as readonly AuditRow[]
  }

  /** The lowest `seq` of the newest rows before one; `undefined`: there is none. */
  lowest(seq: number, window: number): number | undefined {
    const [row] = this.#run(
      'SELECT min(seq) AS seq FROM (SELECT seq FROM audit WHERE seq < ? ORDER BY seq DESC LIMIT ?)',
      seq,
      window,
    )
    return (row?.seq as number | null) ?? undefined
  }

  /** The nonces of the newest rows, the newest first. */
  nonces(limit: number): readonly string[] {
    const statement = 'SELECT nonce FROM audit ORDER BY seq DESC LIMIT ?'
    return this.#run(statement, limit).flatMap(({ nonce }) => (nonce as string | null) ?? [])
  }

  /** How many of the newest rows were written from a time on and have an event. */
  count(event: string, since: number, window: number): number {
    const [row] = this.#run(
      `SELECT count(*) AS count FROM (SELECT at, content FROM audit ORDER BY seq DESC LIMIT ?)
       WHERE at >= ? AND instr(content, ?) > 0`,
      window,
      since,
      `"event":${JSON.stringify(event)}`,
    )
    return row?.count as number
  }

  /** The last of the oldest rows that were all written before a time; `undefined`: there is none. */
  lastBefore(time: number, window: number): AuditRow | undefined {
    const [young] = this.#run(
      'SELECT min(seq) AS seq FROM (SELECT seq, at FROM audit ORDER BY seq LIMIT ?) WHERE at >= ?',
      window,
      time,
    )
    const end = young?.seq as number | null
    if (end !== null) return this.before(end, 1)[0]
    const last = '(SELECT max(seq) FROM (SELECT seq FROM audit ORDER BY seq LIMIT ?))'
    return this.#rows(`WHERE seq = ${last}`, window)[0]
  }

  deleteUpTo(seq: number): void {
    this.#run('DELETE FROM audit WHERE seq <= ?', seq)
  }

  get<Name extends keyof State>(name: Name): State[Name] | undefined {
    const [row] = this.#run('SELECT value FROM audit_state WHERE name = ?', name)
    try {
      return row && (JSON.parse(row.value as string) as State[Name])
    } catch {
      // Somebody has changed it: as if it were not there, which a check of the log finds.
      return undefined
    }
  }

  set<Name extends keyof State>(name: Name, value: State[Name] | undefined): void {
    if (value === undefined) this.#run('DELETE FROM audit_state WHERE name = ?', name)
    else {
      const statement = 'INSERT OR REPLACE INTO audit_state (name, value) VALUES (?, ?)'
      this.#run(statement, name, JSON.stringify(value))
    }
  }

  /** The object's name. If somebody has deleted it, the newest record says it. */
  get chain(): string | undefined {
    const known = this.get('chain')
    if (known !== undefined) return known
    const [newest] = this.before(Number.MAX_SAFE_INTEGER, 1)
    try {
      const { chain } = JSON.parse(newest?.content ?? '') as { chain?: unknown }
      return typeof chain === 'string' ? chain : undefined
    } catch {
      return undefined
    }
  }

  /** The last record that retention has deleted. */
  get floor(): AuditHead {
    return this.get('floor') ?? NO_FLOOR
  }

  /** The newest record, or `floor`. */
  get head(): AuditHead {
    const [newest] = this.before(Number.MAX_SAFE_INTEGER, 1)
    return newest ? headOf(newest, this.chain ?? '') : this.floor
  }

  #rows(which: string, ...values: number[]): readonly AuditRow[] {
    const statement = `SELECT seq, at, content FROM audit ${which}`
    return this.#run(statement, ...values) as unknown as readonly AuditRow[]
  }
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
