import type { AuditEntry } from '../../../types/audit.js'
import type { LogRows, Omitted } from './rows.js'

/** Events that anybody can cause, as often as they like. */
const ANYBODYS: ReadonlySet<string> = new Set(['sign-in-refused', 'too-many-attempts'])

/** Records of one such event in a minute, and of one event that one person causes. */
const MAX_RECORDS = 60
const MINUTE = 60_000
/** The newest rows that are looked at for those of this minute, after a start of the process. */
const WINDOW = 2_000
/** Counts are written so much apart at least, in milliseconds: a flood of any size costs a few rows a second. */
const PAUSE = 500
/** Minutes. A row of a later one was written by a clock that was wrong, and counts as over. */
const AHEAD = 60
/** Omitted events have fewer names. Other processes may record them at the same time. */
const MAX_TURNS = 500

/** The counted parts of an event. */
type Counted = Pick<AuditEntry, 'event' | 'person' | 'by'>

/**
 * Counts events of a flood. One row has the number of events that exceed the records of a minute. It survives a restart of the
 * process. The calls of half a second wait for one write of it.
 */
export class Floods {
  readonly #rows: LogRows
  readonly #now: () => number
  readonly #wait: (milliseconds: number) => Promise<void>
  /** Minutes since the epoch, of the counts below. */
  #minute = 0
  #recorded = new Map<string, number>()
  /** Omitted events that the row does not have yet. */
  #unsaved = new Map<string, number>()
  /** The minute of the row; null: there is none; `undefined`: it is to be read. */
  #row: number | null | undefined
  #saved: Promise<void> | undefined
  #savedAt = 0
  /** The write of the row that is under way. It never rejects. */
  #keeping: Promise<unknown> = Promise.resolve()

  constructor(rows: LogRows, now: () => number, wait: (milliseconds: number) => Promise<void>) {
    this.#rows = rows
    this.#now = now
    this.#wait = wait
  }

  /**
   * Begins the minute that it is.
   *
   * @param write writes the record of what an earlier minute left out, together with the rest of the row.
   *   `false`: another process has written meanwhile
   */
  async turnMinute(
    write: (entry: AuditEntry, left: Omitted | null) => Promise<boolean>,
  ): Promise<void> {
    const minute = Math.floor(this.#now() / MINUTE)
    if (minute === this.#minute) return
    await this.#keeping
    await this.#keep()
    if (this.#row !== null) await this.#writeOmitted(minute, write)
    this.#minute = minute
    this.#recorded.clear()
  }

  /** Other processes may have omitted events. */
  forgetRow(): void {
    this.#row = undefined
  }

  /** When the minute ends whose counts are to be recorded; `undefined`: nothing was left out, as far as is known. */
  get end(): number | undefined {
    const minute = this.#unsaved.size > 0 ? this.#minute : this.#row
    return minute === undefined || minute === null ? undefined : (minute + 1) * MINUTE
  }

  /**
   * Does an event get a record of its own?
   *
   * @param end the last record whose event is noted
   */
  async admits(entry: Counted, end: number): Promise<boolean> {
    const { event } = entry
    const name = countedAs(entry)
    if (name === undefined) return true
    if (name === event && !this.#recorded.has(name)) {
      const since = this.#minute * MINUTE
      this.#recorded.set(name, await this.#rows.count(event, since, end, WINDOW))
    }
    return (this.#recorded.get(name) ?? 0) < MAX_RECORDS
  }

  noteRecorded(entry: Counted): void {
    const name = countedAs(entry)
    if (name !== undefined) this.#recorded.set(name, (this.#recorded.get(name) ?? 0) + 1)
  }

  /** The same for a record of another process. @param at when it was written */
  noteOthers(entry: Counted, at: number): void {
    const name = countedAs(entry)
    const isNow = Math.floor(at / MINUTE) === this.#minute
    // The first count of an event reads all rows, and with them this one.
    if (name !== undefined && isNow && (name !== entry.event || this.#recorded.has(name))) {
      this.noteRecorded(entry)
    }
  }

  /** Counts an event without a record. @returns when the count is written */
  omit(event: string): Promise<void> {
    this.#unsaved.set(event, (this.#unsaved.get(event) ?? 0) + 1)
    this.#saved ??= this.#saveSoon()
    return this.#saved
  }

  async #writeOmitted(
    minute: number,
    write: (entry: AuditEntry, left: Omitted | null) => Promise<boolean>,
  ): Promise<void> {
    for (let turns = 0; turns < MAX_TURNS; turns++) {
      const omitted = await this.#rows.get('omitted')
      this.#row = omitted?.minute ?? null
      if (!omitted || (omitted.minute >= minute && omitted.minute <= minute + AHEAD)) return
      const [first, ...others] = Object.entries(omitted.counts).sort()
      if (!first) return this.#rows.set('omitted', undefined)
      const end = (omitted.minute + 1) * MINUTE - 1
      const time = new Date(Math.min(end, this.#now())).toISOString()
      const [error, count] = first
      const counts = Object.fromEntries(others)
      await write(
        { time, event: 'events-omitted', error, count },
        others.length === 0 ? null : { minute: omitted.minute, counts },
      )
    }
    throw new Error('Others record omitted events faster than they can be read.')
  }

  async #saveSoon(): Promise<void> {
    const pause = this.#savedAt + PAUSE - this.#now()
    await (pause > 0 ? this.#wait(pause) : undefined)
    this.#saved = undefined
    this.#savedAt = this.#now()
    await this.#keep()
  }

  #keep(): Promise<void> {
    const unsaved = this.#unsaved
    if (unsaved.size === 0) return Promise.resolve()
    this.#unsaved = new Map()
    const kept = this.#rows.omit(this.#minute, unsaved).then(
      (minute) => {
        this.#row = minute
      },
      (error) => {
        for (const [event, count] of unsaved) {
          this.#unsaved.set(event, (this.#unsaved.get(event) ?? 0) + count)
        }
        throw error
      },
    )
    this.#keeping = kept.catch(() => undefined)
    return kept
  }
}

/** @returns `undefined`: the event has no bound, as what an operator does */
function countedAs({ event, person, by }: Counted): string | undefined {
  if (ANYBODYS.has(event)) return event
  return person === undefined || by === 'operator' ? undefined : `${event} ${person}`
}
