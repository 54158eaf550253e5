import type { WithCredential } from './way-document.js'

/** A way of a person, in the person's document. Times are seconds since the epoch. */
export interface PersonWay extends WithCredential {
  /** Its own name. */
  readonly way: string
  /** Id of the provider. */
  readonly provider: string
  /** When it was added; `null` for a first way, whose time was not noted. */
  readonly added: number | null
  /** When it was last used, to the day. */
  readonly used: number | null
  /** A change that may have failed halfway. The way's own document names the owner. */
  readonly state?: 'adding' | 'removing'
  /** When that change began. */
  readonly since?: number
  /** The person that it is taken over from. */
  readonly from?: string
  /** The description of the person by this way; unreadable once its secret is retired. */
  readonly sealed?: string
  /** Left out: it counts. */
  readonly unconfirmed?: Unconfirmed
}

/**
 * A session of one factor has added it, to a person who had a passkey or an app: it does not count yet as what its
 * person proves themselves by (`strength.ts`). Versions that do not know it leave it as it is.
 */
export interface Unconfirmed {
  /** When every verified address of the person got the notice. Seconds since the epoch. */
  readonly told?: number
  /** The day on which that was tried last. Seconds since the epoch. */
  readonly tried?: number
}

/** The word of the operator that nothing gives a person a session. */
export interface Block {
  /** Seconds since the epoch. */
  readonly since: number
  /** One line for other operators, which no page shows. */
  readonly reason?: string
}

/** A person who has or had several ways, a passkey or a second factor, or who is blocked. */
export interface Person {
  readonly ways: readonly PersonWay[]
  /** The operator has blocked them. It is stored around the rest (`contentOfPerson`). */
  readonly blocked?: Block
  /**
   * Their WebAuthn user handle, 32 bytes in base64url: that of each of their passkeys, except those
   * of people who were merged into them.
   */
  readonly handle?: string
  /** They have a document for the factor alone, and have had one way ever since. */
  readonly isAlone?: true
  /** They have removed a passkey or an app, which a session of theirs may have begun with. */
  readonly hadMeans?: true
  /** They are another person now. Ways that are listed here have not all moved yet. */
  readonly mergedInto?: string
  /**
   * Each `sub` from the app of people who were merged into this one, if none of their ways has it
   * itself.
   */
  readonly were?: readonly string[]
  /** They are being deleted. */
  readonly erasing?: true
  /** When they asked for that themselves. Seconds since the epoch. */
  readonly asked?: number
  /** Earlier ways that sign no user in, because their documents say so. */
  readonly removed?: readonly string[]
  /** Documents that were deleted with a way of theirs, each of which leaves its key in the ledger for a day. */
  readonly deleted?: readonly Deleted[]
}

/** The key of a document, and when it was deleted. Seconds since the epoch. */
interface Deleted {
  readonly key: string
  readonly at: number
}

/** The most ways of a person. */
export const MAX_WAYS = 20

/** The person with one of their ways changed, or without it. */
export function withWay(person: Person, way: string, changed: PersonWay | undefined): Person {
  const at = person.ways.findIndex((one) => one.way === way)
  const place = at < 0 ? person.ways.length : at
  return { ...person, ways: person.ways.toSpliced(place, 1, ...(changed ? [changed] : [])) }
}

/** How long a key is known after its document was deleted. Seconds. */
const REMEMBERED = 24 * 60 * 60

/** The most keys that are listed: an erasure makes a call for each. Keys beyond it lapse. */
const MAX_DELETED = 20

/**
 * The note in a person's list about deleted documents, after more were deleted.
 *
 * @param now seconds since the epoch
 */
export function withDeleted(
  deletions: readonly Deleted[] = [],
  more: readonly Deleted[],
  now: number,
): readonly Deleted[] {
  const latest = new Map([...deletions, ...more].map((one) => [one.key, one]))
  return [...latest.values()].filter(({ at }) => now - at < REMEMBERED).slice(-MAX_DELETED)
}

/**
 * Has a person become another one, and have all their ways moved? If a way signs in as them since then, they are a
 * person of their own again.
 */
export function hasMoved(person: Person | undefined): boolean {
  return person?.mergedInto !== undefined && person.ways.length === 0
}

/** Has the operator blocked a person? A member that cannot be read blocks too. */
export function isBlocked(person: Person | undefined): boolean {
  return person?.blocked !== undefined
}

/**
 * Has a person had only one way, ever since the ledger knows of them? An older version that adds
 * another way leaves a mark.
 */
export function isAlone({ isAlone, ways }: Person): boolean {
  return isAlone === true && ways.length < 2
}
