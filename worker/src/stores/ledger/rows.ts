import type { LedgerDocument } from './types.js'

/**
 * The contents of a ledger: the rows of each table, without their keys. Times are seconds since the
 * epoch; a row may be forgotten when its `expires` has passed, and never without one. Every deployed ledger has columns
 * with these names, so they never change.
 */
export interface Tables {
  /** Consumed one-time names. */
  readonly consumed: { readonly expires: number }
  /** Sessions that are over, by `sid`, and when they were ended. */
  readonly revoked: { readonly at: number; readonly expires: number }
  /** By `sub`: the user's sessions that began by `until` are over, except the one that is kept. */
  readonly cutoffs: {
    readonly until: number
    readonly kept: string | null
    readonly at: number
    readonly expires: number
  }
  /**
   * By `person <sub>` or `session <sid>`, for an erased person by their names in tokens: the tokens that were issued by `until` are to be renewed. `own`: the person has
   * asked for it.
   */
  readonly stale: {
    readonly until: number
    readonly own: number
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
  /** Mails, by a hash of provider and address: hashes of link and code, wrong codes. */
  readonly verifications: {
    readonly link: string
    readonly code: string
    readonly sealed: string
    readonly wrong: number
    readonly expires: number
  }
  /** Texts that stay, some of them until an end, by kind and home; a deleted one has no content, and an end. */
  readonly documents: {
    readonly version: number
    readonly content: string | null
    readonly expires: number | null
  }
  /** For a handover to another number of objects: how far it is. See `Resharding`. */
  readonly handovers: {
    readonly count: number
    readonly after: string | null
    readonly others: number
    readonly next: number
    readonly behind: number
    readonly seen: number
    readonly expires: number | null
  }
  /** By key: documents that were changed since they had their turn, or could not be handed over. */
  readonly unhanded: { readonly expires: number | null }
}

/** The one handover of an object. */
export const DOCUMENTS_RESHARD = 'documents'

/** Begins the key of the note that an object of another number has handed documents over to this one. */
export const HANDED_FROM = 'from '

/** How far the first object of a number is in having the new ones write that note. */
export const ANNOUNCED = 'announced'

/** Begins the key of the mark of an object that the ledger has left for a jurisdiction. */
export const LEFT_FOR = 'left for '

export type Table = keyof Tables

/** Tables whose rows are listed by the time of their last change, `at`. */
export type ListedTable = 'revoked' | 'cutoffs' | 'stale'

/**
 * The storage of the ledger's rules. It answers synchronously: no other call runs between the reads
 * and the writes of a rule (docs/decisions/stores.md).
 */
export interface Rows {
  /** They are read before the step that writes: a list may miss a row that was written meanwhile. */
  readonly isCopy?: true
  get<Name extends Table>(table: Name, key: string): Tables[Name] | undefined
  /** Writes a row, and replaces one with the same key. */
  put<Name extends Table>(table: Name, key: string, row: Tables[Name]): void
  /** Reads many rows at once, if that is less work. Absent: one by one. */
  getAll?<Name extends Table>(
    table: Name,
    keys: readonly string[],
  ): ReadonlyMap<string, Tables[Name]>
  /** Writes many rows at once. Absent: one by one. */
  putAll?<Name extends Table>(table: Name, rows: ReadonlyMap<string, Tables[Name]>): void
  /** Writes the named columns of an existing row. */
  change<Name extends Table>(table: Name, key: string, columns: Partial<Tables[Name]>): void
  /** Does nothing without a row of this key. */
  delete(table: Table, key: string): void
  /** The keys of a table that begin so. */
  keys(table: Table, beginning: string): readonly string[]
  /** The rows of a table whose keys begin so, in the order of their keys, up to a limit. */
  entries<Name extends Table>(
    table: Name,
    beginning: string,
    limit: number,
  ): readonly (readonly [key: string, row: Tables[Name]])[]
  /** The rows with `at` at or after a time, the oldest first, up to a limit. */
  since<Name extends ListedTable>(
    table: Name,
    at: number,
    limit: number,
  ): readonly (readonly [key: string, row: Tables[Name]])[]
}

/** A row that is over may still be kept. */
export function unexpired<Row extends { readonly expires: number | null }>(
  row: Row | undefined,
  now: number,
): Row | undefined {
  return row && (row.expires === null || row.expires > now) ? row : undefined
}

export function documentIn(rows: Rows, now: number, key: string): LedgerDocument | undefined {
  return documentOf(rows.get('documents', key), now)
}

export function documentOf(
  row: Tables['documents'] | undefined,
  now: number,
): LedgerDocument | undefined {
  const document = unexpired(row, now)
  if (!document) return undefined
  const { version, content, expires } = document
  return { version, content, ...(content === null || expires === null ? {} : { expires }) }
}

/** The name or the person that leads to a document's object: names and people do so alike. */
export function homeOfDocument(key: string): string {
  return key.split('\n', 2)[1] ?? ''
}

/**
 * The key of the document of the person that the content of a way's document names, if it does.
 * Content that a reader takes for damaged may name a person here; nothing reads that person then.
 */
export function personKeyIn(content: string | null = null): string | undefined {
  try {
    const { owner } = JSON.parse(content ?? '{}') as { owner?: unknown }
    return typeof owner === 'string' ? `person\n${owner}` : undefined
  } catch {
    return undefined
  }
}
