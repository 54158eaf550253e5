/**
 * The members of an audit record that describe its event (docs/audit.md). A text has no control character. There is no
 * `sub`, address, name, token, code, cookie, key or secret.
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

/** One record of the audit log (docs/audit.md). */
export interface AuditRecord extends AuditEntry {
  /** `<chain>_<seq>`. */
  readonly id: string
  /** The name of the ledger's object that keeps it. */
  readonly chain: string
  /** Its number in the chain, from 1, without a gap. */
  readonly seq: number
  /** The `hash` of the record before it; null in the first one. */
  readonly prev: string | null
  /** SHA-256 of the record without this member, as JSON by RFC 8785, in base64url. */
  readonly hash: string
}

/** A row that is not a record any more, since somebody has changed it. */
export interface DamagedRow {
  readonly id: string
  readonly chain: string
  readonly seq: number
  readonly damaged: true
}

/** The records to find. Each member that is there narrows them. */
export interface AuditQuery {
  /** The person's id, `user.id` of their session. */
  readonly sub?: string
  /** An address: records of its network. */
  readonly ip?: string
  /** A name of docs/log-events.md, or `events-omitted`. */
  readonly event?: string
  /** ISO 8601: records of this time and later ones. */
  readonly since?: string
  /** ISO 8601: records before this time. */
  readonly until?: string
  /** `next` of the page before. */
  readonly after?: string
  /** 1 to 200. Default `50`. */
  readonly limit?: number
}

/** A page of the audit log, the newest record first. */
export interface AuditPage {
  readonly records: readonly (AuditRecord | DamagedRow)[]
  /** `after` of the next page; null: this is the last one. */
  readonly next: string | null
}

/** A place in a chain. All are null in front of the first record, where `seq` is 0. */
export interface AuditHead {
  readonly seq: number
  readonly hash: string | null
  /** ISO 8601. */
  readonly time: string | null
}

/** The ends of one chain. */
export interface AuditChain {
  readonly chain: string
  /** The last record that was deleted after its days. */
  readonly floor: AuditHead
  /** The newest record. */
  readonly head: AuditHead
}

/** The ends of every chain of the audit log, to be kept elsewhere: `latchkey audit verify --heads` compares them (docs/audit.md). */
export interface AuditHeads {
  /** How many days a record is kept. */
  readonly days: number
  readonly chains: readonly AuditChain[]
}

/** Which person is looked for: by the address that they sign in with, or by a line of the log. */
export type SoughtPerson =
  | { readonly email: string; readonly person?: undefined; readonly after?: undefined }
  | {
      readonly email?: undefined
      /** `person` of a line of the log, or of a record of the audit log. */
      readonly person: string
      /** `next` of the answer before. */
      readonly after?: string | undefined
    }

/** The answer of `findPerson`. */
export interface FoundPerson {
  /** `null`: not in this part. */
  readonly sub: string | null
  /** Where the search goes on; `null`: everybody was looked at. */
  readonly next: string | null
}
