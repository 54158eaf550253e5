/**
 * An event as the service hands it to an object of the ledger: every member of an audit record but those that the object
 * gives. A text has no control character. There is no `sub`, address, name, token, code, cookie, key or secret.
 */
export interface AuditEntry {
  /** ISO 8601, with milliseconds. */
  readonly time: string
  /** A name of docs/log-events.md, or `events-omitted`. */
  readonly event: string
  /** The digest of the person, as in the lines of the log. */
  readonly person?: string
  /** The digest of the person that a request names without a proof. */
  readonly claimed?: string
  /** For `people-merged`: the digest that the person has from now on. */
  readonly into?: string
  /** Id of the provider. */
  readonly provider?: string
  readonly which?: string
  readonly by?: string
  /** The type of the error. For `events-omitted`: the event. */
  readonly error?: string
  readonly code?: string
  readonly reference?: string
  readonly count?: number
  /** Seconds. */
  readonly wait?: number
  /** The name of the operator's key; `binding` for a call of the service. */
  readonly operator?: string
  /** The method that the operator called. */
  readonly method?: string
  /** The reason of a block. */
  readonly reason?: string
  /** Such as `Firefox on Windows`. */
  readonly device?: string
  /** Such as `Berlin, DE`. */
  readonly place?: string
  /** A keyed digest of the browser's network. */
  readonly network?: string
}

/** A record of the audit log: one event, at its place in the chain of an object of the ledger. */
export interface AuditRecord extends AuditEntry {
  /** `<chain>_<seq>` */
  readonly id: string
  /** The object's name: `ledger`, `ledger-4-2`. */
  readonly chain: string
  /** From 1, without a hole. */
  readonly seq: number
  /** The `hash` of the record before; null for the first. */
  readonly prev: string | null
  /** base64url of the SHA-256 of the record without `hash`, as JSON by RFC 8785. */
  readonly hash: string
}

/** A row of the log that is not a record any more. */
export interface DamagedRecord {
  readonly id: string
  readonly chain: string
  readonly seq: number
  readonly damaged: true
}

/** A place in a chain. With `seq` 0 there is no record: `hash` and `time` are null. */
export interface AuditHead {
  readonly seq: number
  readonly hash: string | null
  /** ISO 8601. */
  readonly time: string | null
}

/** Where the chain of one object begins and ends. */
export interface ChainHeads {
  /** The last record that retention has deleted. */
  readonly floor: AuditHead
  /** The newest record; `floor` if none is left. */
  readonly head: AuditHead
}

/** The answer of `auditHeads()`. */
export interface AuditHeads {
  readonly days: number
  readonly chains: readonly ({ readonly chain: string } & ChainHeads)[]
}

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
  readonly records: readonly (AuditRecord | DamagedRecord)[]
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
