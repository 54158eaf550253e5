import { isRecord } from '@latchkey/session/internal'
import { DamagedRecord } from '../errors.js'
import type { LedgerDocument } from '../stores/ledger/types.js'
import type { Account } from '../types.js'

/**
 * The owner of a way to sign in. Most ways have no such document: they belong to the person whose
 * id follows from the account itself.
 */
export type WayDocument =
  | {
      /** The `sub` of the person who signs in with it. */
      readonly owner: string
      /** It is the one that the owner's id follows from. */
      readonly first?: true
    }
  /** It signs no user in until the person who removed it adds it again. */
  | { readonly removed: string }

/** The beginning of the names of addresses, in the ledger the same as for their mails. */
const MAIL = 'email:'

/** Stands for a provider if a `sub` follows from a credential. */
export const CREDENTIALS = 'passkey'

/** Begins the names of credentials; a digest of the credential's id follows. */
const CREDENTIAL = `${CREDENTIALS}:`

/**
 * A way's own name in the ledger: the id that follows from the account, or for an address the key that its
 * mails have there, so that a mail is redeemed and its person found with one call.
 *
 * @param account as its kind of sign-in made it, before an owner took its place
 */
export function wayOf({
  type,
  userId,
}: Pick<Account, 'type'> & { readonly userId: string }): string {
  if (type === 'webauthn') return CREDENTIAL + userId
  return type === 'email' ? MAIL + userId : userId
}

/** Is it an address? */
export function isMail(way: string): boolean {
  return way.startsWith(MAIL)
}

/** Is it a credential, which proves a key and no account? */
export function isCredential(way: string): boolean {
  return way.startsWith(CREDENTIAL)
}

/**
 * The `sub` that a way has of its own. A credential has none: the maker of an authenticator chooses
 * the ids of its credentials, and must not choose a person's id.
 */
export function ownSubOf(way: string): string | undefined {
  if (isCredential(way)) return undefined
  return isMail(way) ? way.slice(MAIL.length) : way
}

/** The key of the document about a way: a {@link WayDocument}. */
export function wayKey(way: string): string {
  return `way\n${way}`
}

/** The key of the document about a person with more than one way. */
export function personKey(sub: string): string {
  return `person\n${sub}`
}

/** The key of the claim to a `sub`: the document names the first way that has it. */
export function subjectKey(sub: string): string {
  return `subject\n${sub}`
}

/**
 * The key of a trace that names the person who signed in here by a way that the ledger does not
 * know. It is deleted with the way's documents, and with the person whose `sub` follows from the
 * way.
 */
export function hereKey(way: string): string {
  return `${subjectKey(way)}\nhere`
}

/**
 * The key of a document by which an erasure finds the trace of a way that shares its `sub` with the first one: nothing else names
 * that way. It goes with all else of the person.
 *
 * @param way left out: how each of them begins
 */
export function sharedKey(sub: string, way = ''): string {
  return `${subjectKey(sub)}\nshared\n${way}`
}

/** The key of the tokens that a person has by a way. */
export function connectionKey(sub: string, way: string): string {
  return `connection\n${sub}\n${way}`
}

/**
 * @returns `undefined`: nothing is known of the way, or no longer
 * @throws {DamagedRecord} the sign-in is refused then
 */
export function readWay(document: LedgerDocument | undefined): WayDocument | undefined {
  const content = contentOf(document)
  if (!content) return undefined
  const { owner, removed, first } = content
  if (isSub(owner) && removed === undefined) return { owner, ...(first === true ? { first } : {}) }
  if (isSub(removed) && owner === undefined) return { removed }
  throw new DamagedRecord('A document of a way to sign in cannot be read.')
}

/** The person that a way signs in, if it does. */
export function ownerIn(way: WayDocument | undefined): string | undefined {
  return way && 'owner' in way ? way.owner : undefined
}

function isSub(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

/**
 * The contents of a document, if it exists.
 *
 * @throws {DamagedRecord}
 */
export function contentOf(
  document: LedgerDocument | undefined,
): Record<string, unknown> | undefined {
  if (typeof document?.content !== 'string') return undefined
  try {
    const content: unknown = JSON.parse(document.content)
    if (isRecord(content)) return content
  } catch {
    // Reported below.
  }
  throw new DamagedRecord('A document of the ledger cannot be read.')
}

/**
 * The person who has signed in here by a way, by its trace.
 * @throws {DamagedRecord}
 */
export function personHere(trace: LedgerDocument | null | undefined): unknown {
  return contentOf(trace ?? undefined)?.sub
}

/** A credential of a person, as it was registered and last used (WebAuthn Level 3, section 4, "credential record"). */
export interface Credential {
  /** The id of the credential, in base64url. */
  readonly id: string
  /** The public key as SPKI, in base64url. */
  readonly key: string
  /** COSE's number of its algorithm. */
  readonly alg: -7 | -8 | -257
  /** The greatest that was seen. */
  readonly counter: number
  /** May it be on other devices, and is it? */
  readonly be: boolean
  readonly bs: boolean
  /** What made it, as it says itself. */
  readonly aaguid: string
  /** The user handle that it was made with, in base64url. */
  readonly handle: string
  readonly transports?: readonly string[] | undefined
}

/** The data of a credential that are stored for a way, or that a sign-in has shown. */
export interface WithCredential {
  readonly passkey?: Credential
}

/** Is there a credential? */
export function hasCredential({ passkey }: WithCredential): boolean {
  return passkey !== undefined
}

/** The user handle of a credential. */
export function handleOf({ passkey }: WithCredential): string | undefined {
  return passkey?.handle
}

/** The credential alone, if there is one. */
export function credentialOf({ passkey }: WithCredential): WithCredential {
  return passkey ? { passkey } : {}
}
