import type { SessionClaims } from '@latchkey/session'
import type { Revocations, UserCutoff } from '@latchkey/session/issue'

// The questions and answers of the ledger. Isolates send them to Durable Objects of another version, so no member that
// is here ever changes.

/** The user of a session, the name of them in its token, and when it began, in seconds. */
export type SessionOwner = Pick<SessionClaims, 'sub' | 'auth_time' | 'pid'>

/** A session, or another thing that ends like one. */
export interface Life {
  /** The handle that a cut-off may spare. */
  readonly sid: string
  /** Another handle, which may have ended by itself. */
  readonly also?: string | undefined
  /** Its user, and when it began. */
  readonly owner: SessionOwner
}

/** A change of a document that counts only while something is alive. */
export interface LiveChange {
  /** The one that the caller read, also of a deleted document; 0: there was none. */
  readonly version: number
  /** The whole content. */
  readonly content?: string | undefined
  /** Instead of `content`: takes the place of the last line, which follows the last `\n`. */
  readonly last?: string | undefined
  /** The document goes then. Seconds since the epoch. Left out: it has no end. */
  readonly expires?: number | undefined
}

/** What `liveDocument` answers. */
export interface LiveDocument {
  /** Is one of the handles over, or the owner's sessions that began by then? Then nothing was changed. */
  readonly isOver: boolean
  readonly isChanged: boolean
  /** As it is now, after a change. Absent: there is none, or it was deleted. */
  readonly document?: LedgerDocument | undefined
  /** The version of a deleted document: a change with it writes a new one. */
  readonly deleted?: number | undefined
  /**
   * Tokens of the owner, and of the handles, with this `iat` or an earlier one are stale. Absent: none is known to be, also in
   * answers of a version before.
   */
  readonly staleUntil?: number | undefined
}

/** A document, and its key. */
export interface KeyedDocument extends LedgerDocument {
  readonly key: string
}

/**
 * A short text that stays until it is deleted, or until its end. Its key is `<kind>\n<home>`, or `<kind>\n<home>\n<more>`:
 * it is in the object of the name, or of the person, `<home>`.
 */
export interface LedgerDocument {
  /** Counts its changes, from 1 on. */
  readonly version: number
  /** `null`: it was deleted less than a day ago. */
  readonly content: string | null
  /**
   * Its end, if it has one. Seconds since the epoch. A ledger that is not one of several objects may
   * leave it out.
   */
  readonly expires?: number | undefined
}

/** A document that is to be there. */
export interface DocumentEntry {
  readonly key: string
  /** `null`: it is read alone. */
  readonly content: string | null
}

/** The longest document, in characters. */
export const MAX_DOCUMENT = 65_536

/** What `enter` answers: whether the flow was unused, and who the account belongs to. */
export interface Entrance {
  /** As `consume` answers. */
  readonly isFirst: boolean
  readonly document?: LedgerDocument | undefined
  /**
   * The document `person\n<owner>` of the `owner` that the document names; `null`: there is none. Left out if
   * it names none, or may be elsewhere, and by versions and stores that do not look: then it is to be read.
   */
  readonly person?: LedgerDocument | null | undefined
}

/** A cut-off as it was written. */
export interface DecidedCutoff extends UserCutoff {
  /** Seconds since the epoch; afterwards it may be deleted. */
  readonly expires: number
}

/** A number of attempts in a period, which begins with the first one. */
export interface AttemptLimit {
  readonly name: string
  readonly max: number
  /** Seconds. */
  readonly period: number
}

/** A mail to an address: hashes only, so that a reader of the storage cannot sign in. */
export interface MailedProof {
  readonly link: string
  readonly code: string
  /** The sealed contents that a redemption returns. */
  readonly sealed: string
  /** Seconds since the epoch. */
  readonly expires: number
}

/** The proof for a mail: the hash of its link's secret, or of its code. */
export type ShownProof = { readonly link: string } | { readonly code: string }

/** `spent`: too many wrong codes, this one among them; only the link works. `over`: ended, used, or never there. */
export type Redemption =
  | {
      readonly state: 'redeemed'
      readonly sealed: string
      /** `way\n<key>`, if there is one: it names the owner of the address. */
      readonly document?: LedgerDocument | undefined
    }
  | { readonly state: 'wrong' | 'spent' | 'over' }

/** The person whose claims are refreshed, or one of their sessions. */
export interface RefreshedClaims {
  readonly sub: string
  readonly sid?: string | undefined
  /** The names of the person in tokens. If the person was erased, these are kept, and no `sub`. */
  readonly pids?: readonly string[] | undefined
}

/** What `refreshClaims` answers. One of the members is there. */
export interface ClaimsRefresh {
  /** Tokens with this `iat`, or an earlier one, are stale. */
  readonly until?: number
  /** Nothing was written, because there are too many such entries. Seconds until there is room. */
  readonly retryAfter?: number
  /** Nothing was written: the session that asks is over. */
  readonly isOver?: true
}

/** What `standing` answers. */
export interface Standing {
  readonly isOver: boolean
  /** Tokens with this `iat`, or an earlier one, are stale. Absent: none is. */
  readonly staleUntil?: number
}

/** The tokens of a person or of a session, one of which is named, that are to be renewed. Seconds since the epoch. */
export interface ListedStale {
  readonly sub?: string
  readonly sid?: string
  readonly until: number
  /** When it was written, by the ledger's clock. */
  readonly at: number
}

/** Revocations, as many as one answer holds. */
export interface RevokedLately extends Revocations {
  /**
   * The `since` of the next query, by the ledger's clock: the list is complete up to it. Seconds.
   */
  readonly next: number
  /** Are there more revocations already? */
  readonly hasMore: boolean
  /** All entries of stale tokens since that time. Absent if there are none, and in answers of a version before. */
  readonly stale?: readonly ListedStale[]
}

/** The same in as few values as can be: a collector answers hundreds of calls a second. */
export interface RevocationLines extends Omit<RevokedLately, 'sessions'> {
  /** A second since the epoch, and the ids of the sessions that ended in it, with commas between. */
  readonly seconds: readonly (readonly [number, string])[]
  /**
   * Up to when any of the objects was heard: `next` is of all of them, and stands still while one is out of
   * reach. Absent in answers of a version before. Seconds.
   */
  readonly heard?: number
  /** The mark of each object or collector, for the next question to it. */
  readonly marks?: readonly (Mark | undefined)[]
}

/** The length of the part of each second that was sent. A sender's lines only grow. Characters. */
export interface Mark {
  /** Another one's say nothing. */
  readonly of: string
  readonly told: readonly (readonly [second: number, length: number])[]
}

/** Provider tokens, sealed, and how often they were refreshed. */
export interface RefreshedTokens {
  readonly version: number
  readonly sealed: string
}

/** May this caller refresh? `newer`: no need to, here are the tokens; `over`: the session is. */
export type RefreshClaim =
  | { readonly state: 'yours' | 'taken' | 'over' }
  | ({ readonly state: 'newer' } & RefreshedTokens)

/** The number of wrong codes for one mail after which only the link works. */
export const MAX_WRONG_CODES = 5

/** The state of an object that the ledger leaves for a jurisdiction: marked for it, without a row, or neither. */
export type Leaving = 'left' | 'empty' | 'used'
