import type { RunSql } from '../../../stores/ledger/sqlite-rows.js'
import type { AuditHead } from '../../../types/audit.js'
import { type AuditRow, type LogRows, type LogState, type Omitted, withMore } from './rows.js'
import { soundState } from './sound-state.js'

/**
 * The rows of the log in an object of the ledger. The tables are made at the first record. They have no further index: each one would
 * be a row more to pay for a record.
 */
export class SqlRows implements LogRows {
  readonly #run: RunSql
  #isThere = false
  /** No other process writes it. `undefined`: not read yet. */
  #omitted: Omitted | null | undefined

  constructor(run: RunSql) {
    this.#run = run
  }

  async isThere(): Promise<boolean> {
    this.#isThere ||= this.#run(`SELECT 1 FROM sqlite_master WHERE name = 'audit'`).length > 0
    return this.#isThere
  }

  async create(chain?: string): Promise<string> {
    if (!(await this.isThere())) this.#makeTables()
    const known = await this.chain()
    if (chain !== undefined && this.#read('chain') === undefined) {
      this.#write('chain', known || chain)
    }
    return known || (chain ?? '')
  }

  #makeTables(): void {
    this.#run(
      'CREATE TABLE IF NOT EXISTS audit_state (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID',
    )
    this.#run(
      'CREATE TABLE IF NOT EXISTS audit (seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, nonce TEXT, content TEXT NOT NULL)',
    )
    this.#isThere = true
  }

  async append(
    { seq, at, content }: AuditRow,
    nonce: string | null,
    omitted?: Omitted | null,
  ): Promise<boolean> {
    const statement =
      'INSERT INTO audit (seq, at, nonce, content) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING 1'
    const isDone = this.#run(statement, seq, at, nonce, content).length > 0
    if (isDone && omitted !== undefined) this.#write('omitted', omitted ?? undefined)
    return isDone
  }

  async before(seq: number, limit: number): Promise<readonly AuditRow[]> {
    return this.#rows('WHERE seq < ? ORDER BY seq DESC LIMIT ?', seq, limit)
  }

  async from(seq: number, limit: number): Promise<readonly AuditRow[]> {
    return this.#rows('WHERE seq >= ? ORDER BY seq LIMIT ?', seq, limit)
  }

  async containing(
    texts: readonly string[],
    seq: number,
    window: number,
    limit: number,
  ): Promise<readonly AuditRow[]> {
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

  async lowest(seq: number, window: number): Promise<number | undefined> {
    const [row] = this.#run(
      'SELECT min(seq) AS seq FROM (SELECT seq FROM audit WHERE seq < ? ORDER BY seq DESC LIMIT ?)',
      seq,
      window,
    )
    return (row?.seq as number | null) ?? undefined
  }

  async nonces(limit: number): Promise<readonly string[]> {
    const statement = 'SELECT nonce FROM audit ORDER BY seq DESC LIMIT ?'
    return this.#run(statement, limit).flatMap(({ nonce }) => (nonce as string | null) ?? [])
  }

  async count(event: string, since: number, seq: number, window: number): Promise<number> {
    const [row] = this.#run(
      `SELECT count(*) AS count FROM (SELECT at, content FROM audit WHERE seq <= ? ORDER BY seq DESC LIMIT ?)
       WHERE at >= ? AND instr(content, ?) > 0`,
      seq,
      window,
      since,
      `"event":${JSON.stringify(event)}`,
    )
    return row?.count as number
  }

  async lastBefore(time: number, window: number): Promise<AuditRow | undefined> {
    const [young] = this.#run(
      'SELECT min(seq) AS seq FROM (SELECT seq, at FROM audit ORDER BY seq LIMIT ?) WHERE at >= ?',
      window,
      time,
    )
    const end = young?.seq as number | null
    if (end !== null) return this.#rows('WHERE seq < ? ORDER BY seq DESC LIMIT 1', end)[0]
    const last = '(SELECT max(seq) FROM (SELECT seq FROM audit ORDER BY seq LIMIT ?))'
    return this.#rows(`WHERE seq = ${last}`, window)[0]
  }

  async retain(floor: AuditHead): Promise<void> {
    this.#write('floor', floor)
    this.#run('DELETE FROM audit WHERE seq <= ?', floor.seq)
    const hasMessages = this.#run(`SELECT 1 FROM sqlite_master WHERE name = 'webhooks'`).length > 0
    if (hasMessages) this.#run('DELETE FROM webhooks WHERE seq <= ?', floor.seq)
  }

  async omit(minute: number, counts: ReadonlyMap<string, number>): Promise<number> {
    if (this.#omitted === undefined) this.#omitted = this.#read('omitted') ?? null
    const omitted = withMore(this.#omitted ?? { minute, counts: {} }, counts)
    this.#write('omitted', omitted)
    return omitted.minute
  }

  async get<Name extends keyof LogState>(name: Name): Promise<LogState[Name] | undefined> {
    if (name !== 'omitted') return this.#read(name)
    if (this.#omitted === undefined) this.#omitted = this.#read('omitted') ?? null
    return (this.#omitted ?? undefined) as LogState[Name] | undefined
  }

  async set<Name extends keyof LogState>(
    name: Name,
    value: LogState[Name] | undefined,
  ): Promise<void> {
    this.#write(name, value)
  }

  async setFirst<Name extends keyof LogState>(
    name: Name,
    value: LogState[Name],
  ): Promise<LogState[Name]> {
    const known = this.#read(name)
    if (known === undefined) this.#write(name, value)
    return known ?? value
  }

  /** The object's name. If somebody has deleted it, the newest record says it. */
  async chain(): Promise<string> {
    const known = this.#read('chain')
    if (known !== undefined) return known
    const [newest] = this.#rows('ORDER BY seq DESC LIMIT 1')
    try {
      const { chain } = JSON.parse(newest?.content ?? '') as { chain?: unknown }
      return typeof chain === 'string' ? chain : ''
    } catch {
      return ''
    }
  }

  #read<Name extends keyof LogState>(name: Name): LogState[Name] | undefined {
    const [row] = this.#run('SELECT value FROM audit_state WHERE name = ?', name)
    return soundState(name, row?.value as string | undefined)
  }

  #write<Name extends keyof LogState>(name: Name, value: LogState[Name] | undefined): void {
    if (value === undefined) this.#run('DELETE FROM audit_state WHERE name = ?', name)
    else {
      const statement = 'INSERT OR REPLACE INTO audit_state (name, value) VALUES (?, ?)'
      this.#run(statement, name, JSON.stringify(value))
    }
    if (name === 'omitted') this.#omitted = (value as Omitted | undefined) ?? null
  }

  #rows(which: string, ...values: number[]): readonly AuditRow[] {
    const statement = `SELECT seq, at, content FROM audit ${which}`
    return this.#run(statement, ...values) as unknown as readonly AuditRow[]
  }
}
