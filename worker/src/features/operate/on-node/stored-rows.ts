import type { Change } from '../../../stores/stored.js'
import type { AuditHead } from '../../../types/audit.js'
import { STORE_CHAIN } from '../log/record.js'
import { type AuditRow, type LogRows, type LogState, type Omitted, withMore } from '../log/rows.js'
import { soundState } from '../log/sound-state.js'
import { change, type Documents, downwards, type Found, KEYS, seqOf } from './documents.js'
import { nearestAbove, nearestBelow } from './neighbors.js'

/** Rows of one question. */
const PART = 500
/** Rows that are deleted at once: the store keeps others from writing meanwhile. */
const DELETED = 250
/** Others may change the same value meanwhile. */
const MAX_TRIES = 20

const FLOOR: AuditHead = { seq: 0, hash: null, time: null }

interface Row extends AuditRow {
  readonly nonce: string | null
}

/** From where to where the log reaches. */
interface Ends {
  readonly floor: AuditHead
  /** The row of the floor, as it was read. */
  readonly raw: string | null
  /** The newest row, or the floor. */
  readonly newest: number
}

/**
 * The rows of the log in a store of Node, which several processes write. A record has the next key: only one process can write it, so
 * that a chain has no fork, and no hole. It is written only if the floor is as it was read, since retention may have deleted the row
 * that the process takes for the newest one.
 */
export class StoredRows implements LogRows {
  readonly #documents: Documents
  #isThere = false
  /** The row of the floor, as it was last read; `undefined`: not yet. */
  #floor: string | null | undefined
  /** The omitted events, in the same way. */
  #omitted: string | null = null

  constructor(documents: Documents) {
    this.#documents = documents
  }

  async isThere(): Promise<boolean> {
    this.#isThere ||= await this.#ends().then(({ raw, newest }) => raw !== null || newest > 0)
    return this.#isThere
  }

  async create(): Promise<string> {
    return STORE_CHAIN
  }

  async chain(): Promise<string> {
    return STORE_CHAIN
  }

  async append(
    { seq, at, content }: AuditRow,
    nonce: string | null,
    omitted?: Omitted | null,
  ): Promise<boolean> {
    if (this.#floor === undefined) await this.#ends()
    const isDone = await this.#documents.commit([
      change(stateKey('floor'), this.#floor),
      change(recordKey(seq), null, `${at} ${nonce ?? '-'}\n${content}`),
      ...(omitted === undefined ? [] : [this.#changeOfOmitted(omitted)]),
    ])
    // If it failed, another process may have changed the floor: the next write reads it again.
    this.#floor = isDone ? this.#floor : undefined
    return isDone
  }

  async before(seq: number, limit: number): Promise<readonly AuditRow[]> {
    const found: Row[] = []
    for await (const rows of this.#down(seq, limit)) {
      found.push(...rows)
      if (found.length >= limit) break
    }
    return found.slice(0, limit).map(withoutNonce)
  }

  async from(seq: number, limit: number): Promise<readonly AuditRow[]> {
    const { floor, newest } = await this.#ends()
    const found: Row[] = []
    for (let next = Math.max(seq, floor.seq + 1); next <= newest && found.length < limit; ) {
      const count = Math.min(limit - found.length, PART, newest - next + 1)
      const rows = await this.#at(Array.from({ length: count }, (_, at) => next + at))
      found.push(...rows)
      next += count
      if (rows.length === 0 && next <= newest) {
        next = await nearestAbove(this.#documents, next, newest)
      }
    }
    return found.map(withoutNonce)
  }

  async containing(
    texts: readonly string[],
    seq: number,
    window: number,
    limit: number,
  ): Promise<readonly AuditRow[]> {
    const lowest = await this.lowest(seq, window)
    const found: AuditRow[] = []
    for await (const rows of this.#down(seq, window)) {
      const wanted = rows.filter(({ seq, content }) => {
        return seq >= (lowest ?? 0) && texts.some((text) => content.includes(text))
      })
      found.push(...wanted.map(withoutNonce))
      if (found.length >= limit || (rows.at(-1)?.seq ?? 0) <= (lowest ?? 0)) break
    }
    return found.slice(0, limit)
  }

  /** Its window has so many places, of which some may have no row. */
  async lowest(seq: number, window: number): Promise<number | undefined> {
    const [first] = await this.before(seq, 1)
    if (!first) return undefined
    const { floor } = await this.#ends()
    return Math.max(first.seq - window + 1, floor.seq + 1)
  }

  async nonces(limit: number): Promise<readonly string[]> {
    const found: string[] = []
    for await (const rows of this.#down(Number.MAX_SAFE_INTEGER, limit)) {
      found.push(...rows.flatMap(({ nonce }) => nonce ?? []))
    }
    return found.slice(0, limit)
  }

  async count(event: string, since: number, seq: number, window: number): Promise<number> {
    const text = `"event":${JSON.stringify(event)}`
    let count = 0
    for await (const rows of this.#down(seq + 1, window)) {
      count += rows.filter(({ at, content }) => at >= since && content.includes(text)).length
      const last = rows.at(-1)
      if (last && last.at < since) break
    }
    return count
  }

  async lastBefore(time: number, window: number): Promise<AuditRow | undefined> {
    const rows = await this.from(1, Math.min(window, DELETED))
    const young = rows.findIndex(({ at }) => at >= time)
    return young < 0 ? rows.at(-1) : rows[young - 1]
  }

  async retain(floor: AuditHead): Promise<void> {
    const { raw } = await this.#ends()
    const old = (await this.from(1, DELETED)).filter(({ seq }) => seq <= floor.seq)
    const isDone = await this.#documents.commit([
      change(stateKey('floor'), raw, JSON.stringify(floor)),
      ...old.map(({ seq }) => change(recordKey(seq), undefined, null)),
      ...old.map(({ seq }) => change(messageKey(seq), undefined, null)),
    ])
    this.#floor = undefined
    if (!isDone) throw new Error('Another process deletes old records.')
  }

  async omit(minute: number, counts: ReadonlyMap<string, number>): Promise<number> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const known = (await this.get('omitted')) ?? { minute, counts: {} }
      const omitted = withMore(known, counts)
      if (await this.#documents.commit([this.#changeOfOmitted(omitted)])) return omitted.minute
    }
    throw new Error('Others omit events faster than they can be counted.')
  }

  async get<Name extends keyof LogState>(name: Name): Promise<LogState[Name] | undefined> {
    if (name === 'chain') return STORE_CHAIN as LogState[Name]
    const [found] = await this.#documents.get([stateKey(name)])
    if (name === 'omitted') this.#omitted = found?.raw ?? null
    return soundState(name, found?.content)
  }

  async set<Name extends keyof LogState>(
    name: Name,
    value: LogState[Name] | undefined,
  ): Promise<void> {
    const content = value === undefined ? null : JSON.stringify(value)
    const isDone = await this.#documents.commit([change(stateKey(name), undefined, content)])
    if (!isDone) throw new Error('Another process does the work of the log.')
  }

  async setFirst<Name extends keyof LogState>(
    name: Name,
    value: LogState[Name],
  ): Promise<LogState[Name]> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const [found] = await this.#documents.get([stateKey(name)])
      const known = soundState(name, found?.content)
      if (known !== undefined) return known
      const own = change(stateKey(name), found?.raw ?? null, JSON.stringify(value))
      if (await this.#documents.commit([own])) return value
    }
    throw new Error('Another process does the work of the log.')
  }

  #changeOfOmitted(omitted: Omitted | null): Change {
    return change(stateKey('omitted'), this.#omitted, omitted && JSON.stringify(omitted))
  }

  async #ends(): Promise<Ends> {
    const [first] = await this.#documents.first(KEYS.record, 1)
    const [found] = await this.#documents.get([stateKey('floor')])
    const raw = found?.raw ?? null
    this.#floor = raw
    const floor = soundState('floor', found?.content) ?? FLOOR
    const newest = first && seqOf(first.key, KEYS.record)
    if (first && newest === undefined) throw new Error('The log has a row that is not its own.')
    return { floor, raw, newest: Math.max(newest ?? 0, floor.seq) }
  }

  /** The rows before a place, a part at a time, the newest first. @param limit how many of them, at least */
  async *#down(seq: number, limit: number): AsyncGenerator<readonly Row[]> {
    const { floor, newest } = await this.#ends()
    let left = limit
    for (let next = Math.min(seq - 1, newest); next > floor.seq && left > 0; ) {
      const count = Math.min(left, PART, next - floor.seq)
      const rows = await this.#at(Array.from({ length: count }, (_, at) => next - at))
      next -= count
      left -= rows.length
      yield rows
      if (rows.length > 0 || next <= floor.seq) continue
      const below = await nearestBelow(this.#documents, next)
      if (below === undefined) return
      next = below
    }
  }

  /** The rows with these numbers, without the ones that do not exist. */
  async #at(seqs: readonly number[]): Promise<readonly Row[]> {
    const found = await this.#documents.get(seqs.map(recordKey))
    return found.flatMap((one, at) => (one.raw === null ? [] : rowOf(seqs[at] as number, one)))
  }
}

export function recordKey(seq: number): string {
  return KEYS.record + downwards(seq)
}

export function messageKey(seq: number): string {
  return KEYS.message + downwards(seq)
}

function stateKey(name: keyof LogState): string {
  return KEYS.state + name
}

/** A row that somebody has changed may have any content. It counts as old. */
function rowOf(seq: number, { content = '' }: Found): Row {
  const [first = '', at, nonce] = /^(\d{1,15}) (\S+)\n/.exec(content) ?? []
  if (at === undefined) return { seq, at: Number.NaN, nonce: null, content }
  return {
    seq,
    at: Number(at),
    nonce: nonce === '-' ? null : (nonce as string),
    content: content.slice(first.length),
  }
}

function withoutNonce({ nonce: _, ...row }: Row): AuditRow {
  return row
}
