import type { AuditEntry, AuditHead, AuditRecord } from '../../../types/audit.js'
import { hashOf } from './canonical.js'
import { findRecords } from './find.js'
import { Floods } from './floods.js'
import type { AuditMethods, ChainHeads, RecordsPage, RecordsQuery } from './record.js'
import { INTERVAL, retain } from './retention.js'
import { floorOf, type LogRows, newestOf, type Omitted, recordOf } from './rows.js'
import { soundEntry } from './sound-entry.js'

/** A repeated call is known if its event is one of so many newest ones. */
const NONCES = 1_000
/** Records of other processes that are read one by one. */
const OTHERS = 1_000
/** A record that other processes come before so often is given up. */
const MAX_TRIES = 100
/** A call that waited this long for earlier ones is over for its caller. Milliseconds. */
const PATIENCE = 4_000

/** What the log needs of its process. */
export interface AuditLogOptions {
  readonly rows: LogRows
  /** For how long records are kept; `undefined`: the log is off, and its records are kept as long as they were to be. */
  readonly days: number | undefined
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Waits some milliseconds. */
  readonly wait: (milliseconds: number) => Promise<void>
  /** A row is written: in the same turn, so that what this stores is stored with it. Never throws. */
  readonly written?: (record: AuditRecord) => void
}

/** An event that has its record, or is counted. */
interface Taken {
  /** The promise of a counted event, for its caller. It is in an object: the queue would wait for a bare promise. */
  readonly stored: Promise<void> | undefined
}

/**
 * The audit log of one chain of records, such as that of an object of the ledger. SHA-256 is asynchronous on the platform, so that
 * calls could overtake each other while they hash. They wait in a queue: a record is hashed and written before the next one is begun.
 * If other processes write the same chain, a row is written only at the end that this process knows. Otherwise it reads the rows of
 * the others, and decides again.
 */
export class AuditLog implements AuditMethods {
  readonly rows: LogRows
  readonly #options: AuditLogOptions
  readonly #floods: Floods
  /** The last in the queue. It never rejects. */
  #last: Promise<unknown> = Promise.resolve()
  /** The chain's name, once the log has it. */
  #chain: string | undefined
  /** The newest record. Unknown at first and after a fault: the rows say it. */
  #tail: AuditHead | undefined
  /** The last record that {@link Floods} knows; `undefined`: none, so that it counts all rows. */
  #noted: number | undefined
  /** The newest events by their nonces, and the promise of one that waits for its count to be stored. */
  readonly #known = new Map<string, Promise<void> | undefined>()
  /** Do rows have nonces that are not in `#known`? At first, and after a write that may have succeeded. */
  #isUnsure = true

  constructor(options: AuditLogOptions) {
    const { rows, now, wait } = options
    this.rows = rows
    this.#options = options
    this.#floods = new Floods(rows, now, wait)
  }

  async record(chain: string, entry: AuditEntry, nonce: string): Promise<void> {
    const sound = soundEntry(entry)
    const { stored } = await this.#inTurn(() => this.#take(chain, sound, nonce))
    await stored
  }

  async records(query: RecordsQuery): Promise<RecordsPage> {
    return (await this.rows.isThere()) ? findRecords(this.rows, query) : { records: [], next: null }
  }

  async auditHead(): Promise<ChainHeads | null> {
    const { rows } = this
    return (await rows.isThere())
      ? { floor: await floorOf(rows), head: await newestOf(rows) }
      : null
  }

  /**
   * The work of the alarm: records how many events a flood has left out, when its minute is over, and deletes old records.
   *
   * @returns when it has to run next, in milliseconds since the epoch; `undefined`: no record is left
   */
  async sweep(): Promise<number | undefined> {
    if (!(await this.rows.isThere())) return undefined
    await this.#inTurn(() => this.#turnMinute())
    const { days = await this.rows.get('days'), now } = this.#options
    const next = await retain(this.rows, days, now())
    const { end } = this.#floods
    return end === undefined ? next : Math.min(end, next ?? end)
  }

  /** Records what other processes have left out of a minute that is over. */
  async recordOmitted(): Promise<void> {
    if (!(await this.rows.isThere())) return
    this.#floods.forgetRow()
    await this.#inTurn(() => this.#turnMinute())
  }

  /** When the alarm has to run, at the latest, while records are written. Milliseconds since the epoch. */
  get due(): number {
    return this.#floods.end ?? this.#options.now() + INTERVAL
  }

  async #take(chain: string, entry: AuditEntry, nonce: string): Promise<Taken> {
    await this.#begin(chain)
    if (this.#known.has(nonce)) return { stored: this.#known.get(nonce) }
    const taken = await this.#write(entry, nonce)
    taken.stored?.catch(() => this.#known.delete(nonce))
    this.#note(nonce, taken.stored)
    return taken
  }

  async #write(entry: AuditEntry, nonce: string): Promise<Taken> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      await this.#turnMinute()
      const { seq } = await this.#end()
      if (!(await this.#floods.admits(entry, seq))) {
        return { stored: this.#floods.omit(entry.event) }
      }
      if (await this.#append(entry, nonce)) {
        this.#floods.noteRecorded(entry)
        return { stored: undefined }
      }
    }
    throw new Error('Others write the log faster than it can be read.')
  }

  /** Makes the tables at the first record. The chain has the name that this one had. */
  async #begin(chain: string): Promise<void> {
    if (this.#chain === undefined) {
      const known = await this.rows.create(chain)
      const { days } = this.#options
      if (days !== undefined && (await this.rows.get('days')) !== days) {
        await this.rows.set('days', days)
      }
      this.#chain = known
    }
    if (!this.#isUnsure) return
    const nonces = await this.rows.nonces(NONCES)
    for (const nonce of nonces.toReversed()) if (!this.#known.has(nonce)) this.#note(nonce)
    this.#isUnsure = false
  }

  #note(nonce: string, stored?: Promise<void>): void {
    this.#known.set(nonce, stored)
    for (const old of this.#known.keys()) {
      if (this.#known.size <= NONCES) break
      this.#known.delete(old)
    }
  }

  /**
   * @param omitted takes the place of the omitted events with the row: both are stored or none
   * @returns `false`: another process was faster
   */
  async #append(
    entry: AuditEntry,
    nonce: string | null,
    omitted?: Omitted | null,
  ): Promise<boolean> {
    const chain = this.#chain ?? (await this.rows.chain())
    const end = await this.#end()
    const seq = end.seq + 1
    const unhashed = { ...entry, id: `${chain}_${seq}`, chain, seq, prev: end.hash }
    const hash = await hashOf(unhashed)
    const record = { ...unhashed, hash }
    const row = { seq, at: this.#options.now(), content: JSON.stringify(record) }
    // Until it is known what becomes of the row.
    this.#tail = undefined
    let isDone = false
    try {
      isDone = await this.rows.append(row, nonce, omitted)
    } catch (error) {
      this.#isUnsure = true
      throw error
    }
    if (!isDone) return false
    this.#tail = { seq, hash, time: entry.time }
    this.#noted = seq
    this.#options.written?.(record)
    return true
  }

  /** The end of the chain. Counts the records that other processes have written up to it. */
  async #end(): Promise<AuditHead> {
    if (this.#tail) return this.#tail
    const tail = await newestOf(this.rows)
    const noted = this.#noted ?? tail.seq
    if (noted < tail.seq) {
      const chain = await this.rows.chain()
      for (const row of await this.rows.from(noted + 1, OTHERS)) {
        const record = recordOf(row, chain)
        if (row.seq <= tail.seq && !('damaged' in record)) this.#floods.noteOthers(record, row.at)
      }
    }
    this.#noted = tail.seq
    this.#tail = tail
    return tail
  }

  #turnMinute(): Promise<void> {
    return this.#floods.turnMinute((entry, left) => this.#append(entry, null, left))
  }

  #inTurn<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    const asked = performance.now()
    const turn = this.#last.then(() => {
      if (performance.now() - asked > PATIENCE)
        throw new Error('The calls before it took too long.')
      return work()
    })
    this.#last = turn.catch(() => undefined)
    return turn
  }
}
