/**
 * What a ledger keeps: the rows of each table, without their keys. Times are seconds since the
 * epoch; a row may be forgotten when its `expires` has passed. The names are those of the columns
 * that every deployed ledger has: they stay as they are.
 */
export interface Tables {
  /** One-time things that were used, by name. */
  readonly consumed: { readonly expires: number }
  /** Sessions that are over, by `sid`, and when they were ended. */
  readonly revoked: { readonly at: number; readonly expires: number }
  /** By `sub`: the user's sessions that began by `until` are over, but for the one that is kept. */
  readonly cutoffs: {
    readonly until: number
    readonly kept: string | null
    readonly at: number
    readonly expires: number
  }
  /** By `sid`: how often the provider's tokens were refreshed, and who may refresh until when. */
  readonly refreshes: {
    readonly version: number
    readonly sealed: string | null
    readonly leased_until: number
    readonly expires: number
  }
  /** Counts of attempts, by `<key> <limit>`. */
  readonly attempts: { readonly count: number; readonly expires: number }
  /** What was mailed, by a hash of provider and address: hashes of link and code, wrong codes. */
  readonly verifications: {
    readonly link: string
    readonly code: string
    readonly sealed: string
    readonly wrong: number
    readonly expires: number
  }
}

export type Table = keyof Tables

/** Tables whose rows are listed by the time of their last change, `at`. */
export type ListedTable = 'revoked' | 'cutoffs'

/**
 * Where the ledger's rules keep what they decide on. It answers at once: no other call comes between
 * what a rule reads and what it writes (docs/decisions/0013-synchronous-ledger-rules.md).
 */
export interface Rows {
  get<Name extends Table>(table: Name, key: string): Tables[Name] | undefined
  /** Writes a row, in the place of one that has this key. */
  put<Name extends Table>(table: Name, key: string, row: Tables[Name]): void
  /** Writes some columns of a row that is there; of those that are not named nothing is written. */
  change<Name extends Table>(table: Name, key: string, columns: Partial<Tables[Name]>): void
  /** Without a row of this key nothing happens. */
  delete(table: Table, key: string): void
  /** The rows with `at` at or after a time, the oldest first, so many at most. */
  since<Name extends ListedTable>(
    table: Name,
    at: number,
    limit: number,
  ): readonly (readonly [key: string, row: Tables[Name]])[]
}
