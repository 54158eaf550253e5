import type { AuditEntry } from '../../../types/audit.js'
import type { AuditRows } from './rows.js'

/** Events that anybody can cause, as often as they like. */
const ANYBODYS: ReadonlySet<string> = new Set(['sign-in-refused', 'too-many-attempts'])

/** Records of one such event in a minute, and of one event that one person causes. */
const MAX_RECORDS = 60
const MINUTE = 60_000
/** The newest rows that are looked at for those of this minute, after a start of the object. */
const WINDOW = 2_000
/** Counts are written so much apart at least, in milliseconds: a flood of any size costs a few rows a second. */
const PAUSE = 500

/**
 * Counts events of a flood. One row has the number of events that exceed the records of a minute. It survives a restart of the
 * object. The calls of half a second wait for one write of it.
 */
export class Floods {
  readonly #rows: AuditRows
  readonly #now: () => number
  readonly #wait: (milliseconds: number) => Promise<void>
  /** Minutes since the epoch, of the counts below. */
  #minute = 0
  #recorded = new Map<string, number>()
  #omitted = new Map<string, number>()
  #saved: Promise<void> | undefined
  #savedAt = 0

  constructor(rows: AuditRows, now: () => number, wait: (milliseconds: number) => Promise<void>) {
    this.#rows = rows
    this.#now = now
    this.#wait = wait
    if (!rows.isThere) return
    const { minute, counts } = rows.get('omitted') ?? { minute: 0, counts: {} }
    this.#minute = minute
    this.#omitted = new Map(Object.entries(counts))
  }

  /**
   * Begins the minute that it is.
   *
   * @param write writes the record of what an earlier minute left out, and calls `then` with its row
   */
  async turnMinute(write: (entry: AuditEntry, then: () => void) => Promise<void>): Promise<void> {
    const minute = Math.floor(this.#now() / MINUTE)
    if (minute === this.#minute) return
    const time = new Date((this.#minute + 1) * MINUTE - 1).toISOString()
    for (const [event, count] of [...this.#omitted].sort()) {
      await write({ time, event: 'events-omitted', error: event, count }, () => {
        this.#omitted.delete(event)
        this.#keep()
      })
    }
    this.#minute = minute
    this.#recorded.clear()
  }

  /** When the minute ends whose counts are to be recorded; `undefined`: nothing was left out. */
  get end(): number | undefined {
    return this.#omitted.size === 0 ? undefined : (this.#minute + 1) * MINUTE
  }

  /** Does an event get a record of its own? */
  admits(entry: AuditEntry): boolean {
    const { event } = entry
    const name = countedAs(entry)
    if (name === undefined) return true
    if (name === event && !this.#recorded.has(name) && this.#rows.isThere) {
      this.#recorded.set(name, this.#rows.count(event, this.#minute * MINUTE, WINDOW))
    }
    return (this.#recorded.get(name) ?? 0) < MAX_RECORDS
  }

  noteRecorded(entry: AuditEntry): void {
    const name = countedAs(entry)
    if (name !== undefined) this.#recorded.set(name, (this.#recorded.get(name) ?? 0) + 1)
  }

  /** Counts an event without a record. @returns when the count is written */
  omit(event: string): Promise<void> {
    this.#omitted.set(event, (this.#omitted.get(event) ?? 0) + 1)
    this.#saved ??= this.#saveSoon()
    return this.#saved
  }

  async #saveSoon(): Promise<void> {
    const pause = this.#savedAt + PAUSE - this.#now()
    await (pause > 0 ? this.#wait(pause) : undefined)
    this.#saved = undefined
    this.#savedAt = this.#now()
    this.#keep()
  }

  #keep(): void {
    const counts = Object.fromEntries(this.#omitted)
    this.#rows.set(
      'omitted',
      this.#omitted.size === 0 ? undefined : { minute: this.#minute, counts },
    )
  }
}

/** @returns `undefined`: the event has no bound, as what an operator does */
function countedAs({ event, person, by }: AuditEntry): string | undefined {
  if (ANYBODYS.has(event)) return event
  return person === undefined || by === 'operator' ? undefined : `${event} ${person}`
}
