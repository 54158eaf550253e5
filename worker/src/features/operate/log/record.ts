import type { AuditChain, AuditEntry, AuditRecord, DamagedRow } from '../../../types/audit.js'

/** The name of the one chain of a store of Node. A chain of the ledger has the name of its object. */
export const STORE_CHAIN = 'store'

/** The last deleted record of one chain, and its newest one. */
export type ChainHeads = Omit<AuditChain, 'chain'>

/** A query of one object: see `records` of the operator's `Ledger`. */
export interface RecordsQuery {
  /** Records with a lower `seq` alone. */
  readonly before?: number
  /** Digests, of which a record has one as `person`, `claimed` or `into`. */
  readonly persons?: readonly string[]
  /** Digests, of which a record has one as `network`. */
  readonly networks?: readonly string[]
  readonly event?: string
  /** Milliseconds since the epoch: from this time on. */
  readonly since?: number
  /** Milliseconds since the epoch: before this time. */
  readonly until?: number
  readonly limit: number
}

/** A page of one object. */
export interface RecordsPage {
  /** The newest first. */
  readonly records: readonly (AuditRecord | DamagedRow)[]
  /** `before` of the next page, also if nothing was found yet; null: the end. */
  readonly next: number | null
}

/** The methods that the audit log adds to an object of the ledger, as the service calls them. */
export interface AuditMethods {
  /**
   * Writes one record, and answers when it is stored.
   *
   * @param chain the object's name
   * @param nonce 128 random bits of this event: a repeated call with it writes nothing more
   */
  record(chain: string, entry: AuditEntry, nonce: string): Promise<void>
  /** Finds records, the newest first. A call reads some thousand rows at most. */
  records(query: RecordsQuery): Promise<RecordsPage>
  /** @returns null if this object has never had a record */
  auditHead(): Promise<ChainHeads | null>
}
