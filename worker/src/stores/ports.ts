import type { WarningCode } from '@latchkey/host/shared'
import type { Region } from './ledger/placement.js'
import type { Ledger } from './ledger/rules.js'
import type { RevocationLines, RevokedLately } from './ledger/types.js'
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

/** The records of a part, for a store that lists the same ones first each time. @param list gets how many to read */
export async function partOf(
  { most, except }: ListedPart = WHOLE,
  list: (most: number) => Promise<readonly SessionRecord[]>,
): Promise<readonly SessionRecord[]> {
  const records = await list(most + except.size)
  return records.filter(({ sid }) => !except.has(sid)).slice(0, most)
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
   * @param part the part to list. A store may ignore it, and list more
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
  /**
   * A part of the people who have a session, for the person on duty, who looks for one of them. A person may be in
   * several parts, and one whose sessions are over may still be there. Absent: people cannot be listed.
   *
   * @param after `next` of the part before
   */
  people?(after?: string): Promise<PeoplePart>
}

/** Up to a thousand people. */
export interface PeoplePart {
  readonly subs: readonly string[]
  /** Absent: it is the last part. A part before that may be empty. */
  readonly next?: string
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
   * @param random what the id begins with, 22 characters of base64url, if it is to be the same each time
   */
  readonly drawSid?: (sub: string, near?: Region, random?: string) => string
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

/** The people of one part. */
export const MAX_PEOPLE = 1_000

/** The part of a list in its order. @param subs one more than fit, if there are more */
export function peoplePart(subs: readonly string[]): PeoplePart {
  const some = subs.slice(0, MAX_PEOPLE)
  const last = some.at(-1)
  return subs.length > MAX_PEOPLE && last !== undefined
    ? { subs: some, next: last }
    : { subs: some }
}

/** More of a user's sessions are not listed. */
export const MAX_LISTED = 100

/** The sessions that a store lists if no part is asked for. */
export const WHOLE: ListedPart = { most: MAX_LISTED, except: new Set() }
