import type { WarningCode } from '@latchkey/host/shared'
import type { SessionClaims } from '@latchkey/session'
import type { Revocations, UserCutoff } from '@latchkey/session/issue'
import type { Region } from './ledger/placement.js'
import type { Stored } from './stored.js'

/** A session as it is stored. Nothing in it works as a credential. Times are seconds. */
export interface SessionRecord {
  readonly sub: string
  readonly sid: string
  /** Id of the provider that was used. */
  readonly provider: string
  readonly created: number
  /** When the session was last extended. */
  readonly updated: number
  /** When the session ends. Kept in the value too, since a store may expire late. */
  readonly expires: number
  /** The value that the `jwt` callback returned, encrypted. */
  readonly sealed: string
}

/**
 * A part of a user's sessions: up to `most`, without those that were deleted a moment ago and may
 * still be listed.
 */
export interface ListedPart {
  readonly most: number
  /** By their `sid`. */
  readonly except: ReadonlySet<string>
}

/**
 * The storage of session records. It may be eventually consistent: no decision rests on it alone.
 * Every method rejects when the store fails; `get` resolves to `undefined` only for "no record".
 */
export interface SessionStore {
  get(sub: string, sid: string): Promise<SessionRecord | undefined>
  put(record: SessionRecord): Promise<void>
  delete(sub: string, sid: string): Promise<void>
  /**
   * A user's sessions, a hundred at most. One that began just now may be missing.
   *
   * @param part suffices, if each record costs a call; a store may list more
   */
  list(sub: string, part?: ListedPart): Promise<readonly SessionRecord[]>
  /**
   * Deletes every record of a user, however many, and damaged ones too. Absent: those that `list`
   * shows are deleted one by one.
   */
  deleteAll?(sub: string): Promise<void>
  /**
   * Is there no record of any session? A session of the last minute may be overlooked. Absent: it
   * is unknown.
   */
  isEmpty?(): Promise<boolean>
}

/**
 * A store of an app's own, as `store` of the configuration takes it: sessions, and the rows of the ledger. All rules
 * stand above it (docs/stores.md).
 */
export interface Store {
  readonly sessions: SessionStore
  readonly rows: Stored
  /**
   * Writes the service's mark into the store, once for each process. Absent: no other service can
   * reach the store, or it does not matter.
   *
   * @returns changes that the operator should make to the store
   * @throws {InvalidConfiguration} it is another service's
   */
  claim?(mark: ServiceMark): Promise<readonly StoreWarning[]>
}

/** A store of this package, with the ledger over its rows. */
export interface OwnStore extends Store, Pick<Stores, 'ledger'> {}

/** Sessions and ledger, as the service uses them. */
export interface Stores {
  readonly sessions: SessionStore
  readonly ledger: Ledger
  /**
   * Draws the id of a new session, 22 to 64 characters of base64url with 128 random bits. Absent:
   * the ledger keeps everything in one place, and any id will do.
   * @param near where the person signs in
   */
  readonly drawSid?: (sub: string, near?: Region) => string
  /** Absent: the ledger is asked. */
  readonly revocations?: RevocationSource
  readonly claim?: Store['claim']
}

/**
 * The marks by which a store recognizes its service: digests with a key of each present secret, the
 * signing one first.
 */
export interface ServiceMark {
  readonly secrets: readonly string[]
  /** The URL of the origin in `AUTH_URL`; empty if that is not set. */
  readonly urls: readonly string[]
}

/** A line of the log, with its name. */
export type StoreWarning = readonly [code: WarningCode, text: string]

/** Lists recent endings as the ledger does, but perhaps a moment later. */
export interface RevocationSource {
  /** How old its answers are, at most. Milliseconds, default 0. */
  readonly age?: number
  /**
   * As the ledger's.
   *
   * @param isFirst the caller knows nothing yet, and gets all endings up to now
   * @param marks of the last answer that was taken in: its endings are not sent again
   */
  revokedSince(
    since: number,
    isFirst?: boolean,
    marks?: RevocationLines['marks'],
  ): Promise<RevokedLately | RevocationLines>
}

/** The user of a session, the name of them in its token, and when it began, in seconds. */
export type SessionOwner = Pick<SessionClaims, 'sub' | 'auth_time' | 'pid'>

/**
 * The strongly consistent part: actions that happen exactly once, and sessions that are over for
 * good.
 *
 * Isolates call these methods on the Durable Object, and while a deployment goes on, isolates of
 * the previous version call a new object and new isolates an old one: names, parameters and answers
 * never change; an addition is a new method, or a last parameter that may be left out.
 */
export interface Ledger {
  /**
   * Consumes a one-time name. `true` for exactly one caller, whatever the parallelism.
   * @param expires seconds since the epoch; afterwards the name may be deleted
   */
  consume(name: string, expires: number): Promise<boolean>
  /** @param until the session's own end, seconds since the epoch */
  revoke(sid: string, until: number): Promise<void>
  /** @param owner the session's user, so that the end of all their sessions counts too */
  isRevoked(sid: string, owner?: SessionOwner): Promise<boolean>
  /**
   * Ends all sessions of a user that began by a time, except one.
   * @param expires seconds since the epoch; afterwards the cut-off may be deleted
   * @param began when the session began that goes on
   * @returns `false`: nothing was done, since that session is over itself
   */
  cutOff(cutoff: UserCutoff, expires: number, began?: number): Promise<boolean>
  /**
   * Finishes a user's last cut-off, which may have been written to some of several objects only.
   * @param decided for one of several objects: the cut-off that it may have missed
   * @returns the last cut-off, if there is one
   */
  repeatCutOff(sub: string, decided?: DecidedCutoff): Promise<DecidedCutoff | undefined>
  /**
   * Ends all sessions of a user that began by a time, and keeps the ending under other names: the
   * record under `sub` is deleted.
   * @param pids the names of the user in tokens
   * @param expires seconds since the epoch; afterwards nothing is left
   */
  erase(
    cutoff: Pick<UserCutoff, 'sub' | 'until'>,
    pids: readonly string[],
    expires: number,
  ): Promise<void>
  /**
   * Deletes all that is kept under a name, without a trace: its counts, its mails and its
   * documents. The caller makes sure that nothing goes on to write them.
   *
   * @param isSub only the documents about a person: as a name it may belong to another person
   * @param isFromOther for one of several objects: an object of another number has named this one to
   *   the caller, and has forgotten the name already
   * @returns for one of several objects, while their number changes: the other numbers, whose
   *   objects may have copies
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: an object of a version before answers nothing.
  forget(key: string, isSub?: boolean, isFromOther?: boolean): Promise<readonly number[] | void>
  /** The revocations at or after a time. @param since seconds, by the ledger's clock */
  revokedSince(since: number): Promise<RevokedLately>
  /** A session's refreshed provider tokens. `undefined`: those of its record are the newest. */
  refreshedTokens(sid: string): Promise<RefreshedTokens | undefined>
  /**
   * Asks to refresh a session's provider tokens: one caller at a time may.
   * @param version how often the tokens that the caller has were refreshed
   * @param expires seconds since the epoch; afterwards the row may be deleted
   */
  claimRefresh(sid: string, version: number, expires: number): Promise<RefreshClaim>
  /**
   * Ends a refresh that was claimed. Nothing happens when the session was revoked meanwhile.
   * @param version the one that was claimed; the tokens have the next one
   * @param sealed `undefined` when there are no new tokens: another caller may try
   */
  settleRefresh(sid: string, version: number, sealed: string | undefined): Promise<void>
  /**
   * Counts an attempt, unless one of the limits is reached: then nothing is counted. @param key the
   * client or account that attempts; the counts of one key are in one place
   * @returns seconds to wait; 0: go ahead
   */
  admit(key: string, limits: readonly AttemptLimit[]): Promise<number>
  /**
   * Deletes the counts of a key under these limits.
   * @param way of the signed-in person, by its own name
   * @param wholes other limits of the key, in the same order: each count was part of one of these,
   * so the deleted counts are taken off it. A count that began before the present period of the
   * whole takes one off.
   * @returns the document `way\n<way>`, if there is one: see {@link LedgerDocument}
   */
  forgive(
    key: string,
    limits: readonly string[],
    way?: string,
    wholes?: readonly string[],
    // biome-ignore lint/suspicious/noConfusingVoidType: an object of a version before answers nothing.
  ): Promise<LedgerDocument | void>
  /** Stores a mail to an address. An earlier mail to it no longer works. */
  startVerification(key: string, mailed: MailedProof): Promise<void>
  /** The sealed contents behind a link. Changes nothing. */
  findVerification(key: string, link: string): Promise<string | undefined>
  /** Redeems a mail: for exactly one caller, whatever the parallelism. */
  redeemVerification(key: string, proof: ShownProof): Promise<Redemption>
  /** Deletes a mail; with `link`, only if no other mail was sent meanwhile. */
  withdrawVerification(key: string, link?: string): Promise<void>
  /**
   * A document.
   * @returns `undefined`: there is no document, and there was none lately
   */
  document(key: string): Promise<LedgerDocument | undefined>
  /**
   * Changes a document if it is still as the caller read it: for exactly one of any number of callers
   * that read the same.
   * @param version the one that the caller read; 0: there was none
   * @param content `null` deletes it
   * @param role of one of several objects, which may have an older one than `version`: the first
   * decides, and the others follow, as often as they are called. One that has handed the document
   * over has only a copy, which the new object's document replaces: a `version` of -1 if that has
   * none. Any ledger `forgets` a document that was deleted before the day is over, and no other: a
   * `version` of -1, so that an older one does nothing
   * @param count the number of objects that it was handed over to
   * @param expires for one of several objects: the document's end, in seconds since the epoch
   * @returns `false`: somebody was faster. Read it again: while the number of objects changes it may
   *   have been changed as asked, and once more since
   */
  changeDocument(
    key: string,
    version: number,
    content: string | null,
    role?: 'decides' | 'follows' | 'replaces' | 'forgets',
    count?: number,
    expires?: number,
  ): Promise<boolean>
  /**
   * Reads documents, and writes the missing ones: existing ones stay as they are, so that it may be
   * called again.
   *
   * @returns for each the document that exists; `null`: none did, so the new one, if there is one,
   * is written
   */
  insertDocuments(entries: readonly DocumentEntry[]): Promise<readonly (LedgerDocument | null)[]>
  /**
   * Consumes a one-time name, and reads a document with the same call, and the document of the
   * person that it names. The object with the document keeps the name.
   */
  enter(name: string, expires: number, key: string): Promise<Entrance>
  /**
   * Was a name consumed, alone or beside a document that the caller does not know? With more than
   * 64 objects, each of which may have consumed it, the answer is unknown: `false`.
   */
  isConsumed(name: string): Promise<boolean>
  /**
   * Reads a document that counts only while something is alive, and changes it in the same step if
   * it is. For exactly one of any number of callers with one version, as for `changeDocument`.
   *
   * @example
   * const life = { sid, owner: { sub: 'ada', auth_time: 1_800_000_000 } }
   * const change = { version: 0, content: 'new', expires: 1_800_003_600 }
   * const { isOver, isChanged } = await ledger.liveDocument('grant\nada\nid', life, change)
   */
  liveDocument(key: string, life: Life, change?: LiveChange): Promise<LiveDocument>
  /**
   * The documents `<kind>\n<home>\n<more>` of one home, of these kinds: 1,000 at most, and none that is deleted or over.
   * They are in the order of the kinds, and then of their keys. `wholeList` asks for all of them.
   *
   * @param count for one of several objects, while their number changes: the newest number. The
   *   answer has deleted documents too, with a content of `null`, and leaves out those that were handed over to that number
   * @param after the last key of the answer before: the rest follows
   */
  documentsOf(
    home: string,
    kinds: readonly string[],
    count?: number,
    after?: string,
  ): Promise<readonly KeyedDocument[]>
  /**
   * Ends sessions, or other handles, as `revoke` does, and deletes documents, in one step. A
   * handle that the ledger does not know ends too. One of several objects counts a document that it
   * does not know as deleted for a day.
   *
   * @param until as of `revoke`. Seconds since the epoch
   */
  endAll(sids: readonly string[], until: number, keys: readonly string[]): Promise<void>
}

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

/** Revocations, as many as one answer holds. */
export interface RevokedLately extends Revocations {
  /**
   * The `since` of the next query, by the ledger's clock: the list is complete up to it. Seconds.
   */
  readonly next: number
  /** Are there more revocations already? */
  readonly hasMore: boolean
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

/** More of a user's sessions are not listed. */
export const MAX_LISTED = 100

/** The number of wrong codes for one mail after which only the link works. */
export const MAX_WRONG_CODES = 5
