import type { RunSql } from '../../../stores/ledger/sqlite-rows.js'
import type { AuditEntry, AuditRecord } from '../../../types/audit.js'
import { hashOf } from './canonical.js'
import { findRecords } from './find.js'
import { Floods } from './floods.js'
import type { AuditMethods, ChainHeads, RecordsPage, RecordsQuery } from './record.js'
import { INTERVAL, retain } from './retention.js'
import { AuditRows } from './rows.js'
import { soundEntry } from './sound-entry.js'

/** A repeated call is known if its event is one of so many newest ones. */
const NONCES = 1_000

/** What the log needs of its object. */
export interface AuditLogOptions {
  readonly run: RunSql
  /** For how long records are kept; `undefined`: the log is off, and its records are kept as long as they were to be. */
  readonly days: number | undefined
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Waits some milliseconds. */
  readonly wait: (milliseconds: number) => Promise<void>
  /** A row is written: in the same turn, so that what this stores is stored with it. Never throws. */
  readonly written?: (record: AuditRecord) => void
}

/**
 * The audit log of one object of the ledger: a chain of records. SHA-256 is asynchronous on the platform, so that calls could
 * overtake each other while they hash. They wait in a queue: a record is hashed and written before the next one is begun.
 */
export class AuditLog implements AuditMethods {
  readonly rows: AuditRows
  readonly #options: AuditLogOptions
  /** The last in the queue. It never rejects. */
  #last: Promise<unknown> = Promise.resolve()
  /** The object's name, once the log has it. */
  #chain: string | undefined
  /** The newest record. Unknown at first and after a fault: the rows say it. */
  #tail: { readonly seq: number; readonly hash: string | null } | undefined
  #floods: Floods | undefined
  /** The newest events by their nonces, and the promise of one that waits for its count to be stored. */
  #known: Map<string, Promise<void> | undefined> | undefined

  constructor(options: AuditLogOptions) {
    this.rows = new AuditRows(options.run)
    this.#options = options
  }

  async record(chain: string, entry: AuditEntry, nonce: string): Promise<void> {
    const sound = soundEntry(entry)
    const { stored } = await this.#inTurn(() => this.#take(chain, sound, nonce))
    await stored
  }

  async records(query: RecordsQuery): Promise<RecordsPage> {
    return this.rows.isThere ? findRecords(this.rows, query) : { records: [], next: null }
  }

  async auditHead(): Promise<ChainHeads | null> {
    return this.rows.isThere ? { floor: this.rows.floor, head: this.rows.head } : null
  }

  /**
   * What the alarm does: records what a flood has left out, when its minute is over, and deletes old records.
   *
   * @returns when it has to run next, in milliseconds since the epoch; `undefined`: no record is left
   */
  async sweep(): Promise<number | undefined> {
    if (!this.rows.isThere) return undefined
    await this.#inTurn(() => this.#turnMinute())
    const { days = this.rows.get('days'), now } = this.#options
    const next = retain(this.rows, days, now())
    const { end } = this.#countedFloods()
    return end === undefined ? next : Math.min(end, next ?? end)
  }

  /** When the alarm has to run, at the latest, while records are written. Milliseconds since the epoch. */
  get due(): number {
    return this.#countedFloods().end ?? this.#options.now() + INTERVAL
  }

  /** @returns not the promise itself, which the queue would wait for */
  async #take(
    chain: string,
    entry: AuditEntry,
    nonce: string,
  ): Promise<{ readonly stored: Promise<void> | undefined }> {
    this.#begin(chain)
    const known = this.#knownEvents()
    if (known.has(nonce)) return { stored: known.get(nonce) }
    await this.#turnMinute()
    const floods = this.#countedFloods()
    let stored: Promise<void> | undefined
    if (floods.admits(entry)) {
      await this.#append(entry, nonce)
      floods.noteRecorded(entry)
    } else {
      stored = floods.omit(entry.event)
      stored.catch(() => known.delete(nonce))
    }
    known.set(nonce, stored)
    for (const old of known.keys()) {
      if (known.size <= NONCES) break
      known.delete(old)
    }
    return { stored }
  }

  /** Makes the tables at the first record. The chain has the name that this one had. */
  #begin(chain: string): void {
    if (this.#chain !== undefined) return
    this.rows.create()
    const known = this.rows.chain
    if (this.rows.get('chain') === undefined) this.rows.set('chain', known ?? chain)
    const { days } = this.#options
    if (days !== undefined && this.rows.get('days') !== days) this.rows.set('days', days)
    this.#chain = known ?? chain
  }

  /** @param also runs with the row: nothing comes between, so that both are stored or none */
  async #append(entry: AuditEntry, nonce: string | null, also?: () => void): Promise<void> {
    const chain = this.#chain ?? this.rows.chain ?? ''
    this.#tail ??= this.rows.head
    const seq = this.#tail.seq + 1
    const unhashed = { ...entry, id: `${chain}_${seq}`, chain, seq, prev: this.#tail.hash }
    const hash = await hashOf(unhashed)
    const record = { ...unhashed, hash }
    const content = JSON.stringify(record)
    try {
      this.rows.insert({ seq, at: this.#options.now(), content }, nonce)
      also?.()
      this.#tail = { seq, hash }
      this.#options.written?.(record)
    } catch (error) {
      this.#tail = undefined
      throw error
    }
  }

  #turnMinute(): Promise<void> {
    return this.#countedFloods().turnMinute((entry, also) => this.#append(entry, null, also))
  }

  #countedFloods(): Floods {
    const { now, wait } = this.#options
    this.#floods ??= new Floods(this.rows, now, wait)
    return this.#floods
  }

  #knownEvents(): Map<string, Promise<void> | undefined> {
    const nonces = () => this.rows.nonces(NONCES).toReversed()
    this.#known ??= new Map(nonces().map((nonce) => [nonce, undefined]))
    return this.#known
  }

  #inTurn<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    const turn = this.#last.then(work)
    this.#last = turn.catch(() => undefined)
    return turn
  }
}
