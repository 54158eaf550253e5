import type { SessionClaims } from '@latchkey/session'
import type { Fields } from '../http/body.js'
import type { Notice, ResolvedProvider } from '../http/kind.js'
import type { Outcome, Refusal } from '../http/outcome.js'
import type { Purpose } from '../http/purpose.js'
import type { AuthRequest } from '../http/request.js'
import type { Words } from '../languages/texts.js'
import type { Claim, FoundWay, ReadPerson } from '../person/found-way.js'
import type { Person, Unconfirmed } from '../person/person.js'
import type { SignedIn } from '../session/signed-in.js'

/** A proved way, before it signs a user in. */
export interface Proof {
  readonly proved: SignedIn
  readonly entrance: FoundWay
  readonly purpose: Purpose
}

/** The person of a proved way. */
export interface Identified {
  readonly signedIn: SignedIn
  /** The person's document, as it was read. Left out: the core reads it. */
  readonly document?: ReadPerson
  /**
   * Writes down that the id is this account's, once the app has let the person in. Left out: it
   * follows from the account.
   *
   * @param isUnseen the person's first sign-in is not announced yet
   * @throws {OAuthAccountNotLinked} another account was faster
   */
  readonly claim?: (isUnseen: boolean) => Promise<Claim>
}

/** Something that brings a sign-in of its person to `acr` 2, or waits until it does. */
export interface Means {
  /** The way that does so by itself; left out: it is asked for after any way. */
  readonly way?: string
  /** Left out: it counts. */
  readonly unconfirmed?: Unconfirmed | undefined
  /** The text of mails about it, if it is not a way. */
  says?(words: Words): Omit<Notice, 'to'>
  /** The person with a note about the notice, if the change is not of a way. */
  noted?(person: Person, note: Unconfirmed): Person
}

/** Ids that the app gives to people. */
export interface Subjects {
  /** @returns `undefined`: the id follows from the account @throws {CallbackFailed} */
  ask(request: AuthRequest, proved: Pick<SignedIn, 'user' | 'account'>): Promise<string | undefined>
  /**
   * The person that the app names for an account that the ledger does not know. Called when a
   * user adds it.
   *
   * @throws {CallbackFailed} @throws {StoreUnavailable}
   */
  holder(request: AuthRequest, signedIn: SignedIn, way: string): Promise<string | undefined>
  /** May the app say of several accounts that they are one person's? */
  isShared(request: AuthRequest): boolean
}

/** A sign-in after its person was found. */
export interface SignIn {
  readonly signedIn: SignedIn
  /** Their document, if the ledger knows the owner of the way. */
  readonly document: ReadPerson | undefined
  /** The purpose of the sign-in. Empty: a session of another library goes on. */
  readonly purpose: Partial<Purpose>
}

/**
 * A sign-in that waits. A feature keeps all of it. The core checks that it still counts, and asks the other features, when it
 * goes on.
 */
export interface PendingSignIn {
  readonly signedIn: SignedIn
  /** When the proof came. Seconds since the epoch. */
  readonly came: number
  readonly purpose: Purpose
  /** The key in the ledger by which tries to sign in as the person are counted. */
  readonly limited: string | undefined
  /** The names of the features for which it has waited, with the one that it waits for. They are kept with it. */
  readonly passed: readonly string[]
}

/** Browsers that are known by a cookie after a sign-in with a name, for which tries are counted. */
export interface Devices {
  /**
   * @param key of the name that was typed, in the ledger
   * @param hasCode a code of a second factor was part of the sign-in
   */
  remember(request: AuthRequest, key: string, sub: string, hasCode?: boolean): Promise<void>
  /**
   * Keeps this browser known for a person who has used it to end their sessions everywhere else.
   */
  keep(request: AuthRequest, claims: Pick<SessionClaims, 'sub' | 'amr'>): Promise<void>
}

/** The form of a provider as it was sent. */
export interface TypedForm {
  /** The id of the provider. */
  readonly of: string | undefined
  readonly fields: Fields
}

/** The names that a user has typed into the form of one provider. Never a password. */
export interface TypedNames {
  readonly of: string
  /** By the names of the fields. */
  readonly names: Readonly<Record<string, string>>
}

/** The names that people have typed into forms with a mistake. */
export interface Typed {
  keep(request: AuthRequest, refusal: Refusal): Promise<void>
  /** @param typed the form of a provider, if this answer shows it again */
  names(request: AuthRequest, typed?: TypedForm): Promise<TypedNames | undefined>
}

/** Providers that are found by an address. */
export interface Entrance {
  /** @returns `undefined`: there is none with this id @throws {StoreUnavailable} @throws {InvalidConfiguration} */
  provider(request: AuthRequest, id: string): Promise<ResolvedProvider | undefined>
  /**
   * The outcome of a form that names the address of a person who signs in elsewhere.
   *
   * @returns `undefined`: the form goes on
   * @throws {AccessDenied} it would add such an address
   * @throws {StoreUnavailable} @throws {InvalidConfiguration}
   */
  instead(request: AuthRequest, address: unknown, purpose: Purpose): Promise<Outcome | undefined>
}

/** Whether a signed-in person can step up, and by which ways. */
export interface StepUp {
  ownProviders(
    request: AuthRequest,
    claims: SessionClaims,
  ): Promise<{ readonly ids: ReadonlySet<string>; readonly isWaiting: boolean }>
}
