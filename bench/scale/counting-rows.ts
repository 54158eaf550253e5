import type { ListedTable, Rows, Table, Tables } from '@latchkey/worker/stores/ledger/rows'

/** Rows that SQLite writes for a new row: its own, and one for each index (docs/scale.md). */
const WRITTEN: Readonly<Record<Table, number>> = {
  consumed: 2,
  revoked: 3,
  cutoffs: 3,
  stale: 3,
  refreshes: 3,
  attempts: 2,
  verifications: 3,
  documents: 2,
  handovers: 1,
  unhanded: 1,
}

/** The ledger's rows in memory, listed by an index as in SQLite, and counted as it counts. */
export class CountingRows implements Rows {
  readonly #tables = new Map<Table, Map<string, Tables[Table]>>()
  /** The changes, in the order of time: the index by `at`. */
  readonly #changes = new Map<Table, [at: number, key: string][]>()
  readonly #now: () => number
  written = 0
  /** New rows, each of which is deleted one day. */
  added = 0
  /** For how many seconds new rows are kept, added up: rows that there are in the long run. */
  keptSeconds = 0

  /** @param now milliseconds since the epoch */
  constructor(now: () => number) {
    this.#now = now
  }

  get<Name extends Table>(table: Name, key: string): Tables[Name] | undefined {
    return this.#open(table).get(key)
  }

  put<Name extends Table>(table: Name, key: string, row: Tables[Name]): void {
    const isNew = !this.#open(table).has(key)
    this.#open(table).set(key, row)
    const now = this.#now() / 1000
    if (isNew) this.countOther(table, (row.expires ?? now) - now)
    else this.written += WRITTEN[table]
    if ('at' in row) this.#changesOf(table).push([row.at, key])
  }

  /** Counts a new row that is not kept here. @param kept seconds @returns rows written for it */
  countOther(table: Table, kept: number): number {
    this.added++
    this.keptSeconds += kept
    this.written += WRITTEN[table]
    return WRITTEN[table]
  }

  change<Name extends Table>(table: Name, key: string, columns: Partial<Tables[Name]>): void {
    const row = this.get(table, key)
    if (!row) return
    this.#open(table).set(key, { ...row, ...columns })
    this.written += 1
  }

  keys(table: Table, beginning: string): readonly string[] {
    return [...this.#open(table).keys()].filter((key) => key.startsWith(beginning))
  }

  entries<Name extends Table>(table: Name, beginning: string, limit: number) {
    const all = [...this.#open(table)] as [string, Tables[Name]][]
    return all.filter(([key]) => key.startsWith(beginning)).slice(0, limit)
  }

  delete(table: Table, key: string): void {
    if (this.#open(table).delete(key)) this.written += 1
  }

  since<Name extends ListedTable>(table: Name, at: number, limit: number) {
    const changes = this.#changesOf(table)
    let low = 0
    for (let high = changes.length; low < high; ) {
      const middle = (low + high) >> 1
      if ((changes[middle]?.[0] ?? 0) < at) low = middle + 1
      else high = middle
    }
    const found: (readonly [string, Tables[Name]])[] = []
    for (let next = low; next < changes.length && found.length < limit; next++) {
      const [when, key] = changes[next] as [number, string]
      const row = this.get(table, key)
      if (row && row.at === when) found.push([key, row])
    }
    return found
  }

  #open<Name extends Table>(name: Name): Map<string, Tables[Name]> {
    const known = this.#tables.get(name) ?? new Map<string, Tables[Table]>()
    this.#tables.set(name, known)
    return known as Map<string, Tables[Name]>
  }

  #changesOf(table: Table): [number, string][] {
    const known = this.#changes.get(table) ?? []
    this.#changes.set(table, known)
    return known
  }
}
