import type { SessionClaims } from '@latchkey/session'
import type { ReadOwnTexts } from '../config/resolve-config.js'
import type { SafeRedirect } from '../config/safe-redirect.js'
import type { PublicError } from '../errors.js'
import type { Fields } from '../http/body.js'
import type { AppProof } from '../http/forwarded.js'
import type { Outcome, Refusal } from '../http/outcome.js'
import type {
  AuthRequest,
  Kind,
  Notice,
  Purpose,
  ResolvedProvider,
  ServiceParts,
} from '../http/request.js'
import type { CodeText, Table, Words } from '../languages/texts.js'
import type { PageScript } from '../pages/layout.js'
import type { Markup } from '../pages/markup.js'
import type { Claim } from '../person/claim.js'
import type { Person, PersonWay, ReadPerson, Unconfirmed } from '../person/documents.js'
import type { FoundWay } from '../person/found-way.js'
import type { SignedIn } from '../session/callbacks.js'
import type { ProviderTokens, StandingSession } from '../session/record.js'
import type { StartedFlow } from '../sign-in/flow-cookie.js'
import type { TypedForm, TypedNames } from '../sign-in/typed-names.js'
import type { StoreWarning } from '../stores/ports.js'
import type { ExportedPerson } from '../types/auth-handler.js'
import type { Feature as PublicFeature } from '../types/feature.js'
import type { AccessToken, Account, AuthConfig, Environment } from '../types.js'

/**
 * A capability: a name, and what it hooks into. The service asks the hooks of several features in the order of the list, and
 * asks a feature that is off nothing. It has at most one each of `proofs`, `relay`, `tokens`, `subjects`,
 * `devices`, `typed`, `stepUp`, `absentSession`, `ownTexts` and `isPublicSuffix`.
 *
 * @typeParam Settings what `configure` makes of the configuration
 */
export interface Feature<Settings = unknown> extends PublicFeature {
  /** Features without which this one does not work. They come before it, and are on where it is. */
  readonly needs?: readonly Feature[]
  /** Options of the configuration that only this feature reads, such as `pages.newUser`. */
  readonly options?: readonly string[]
  /** Options of providers that only this feature reads. */
  readonly providerOptions?: readonly string[]
  /** Variables that only this feature reads. */
  readonly variables?: readonly string[]
  /** Members of a person's document that this feature understands. A person with any other member is refused. */
  readonly reads?: readonly (keyof Person)[]
  /** The kinds of sign-in of plain provider objects, by their `type`. */
  readonly kinds?: Readonly<Record<string, Kind>>
  /** Is it on, and how? `undefined`: it is off. Left out: it is on. @throws {InvalidConfiguration} */
  configure?(config: AuthConfig, surroundings: FeatureSurroundings): Settings | undefined
  /** Lines that the log has once for each environment. */
  warn?(settings: Settings, surroundings: FeatureSurroundings): readonly StoreWarning[]
  /** English texts that this feature alone shows. Other languages have them in its name (`npm run generate`). */
  readonly texts?: () => Table
  /** The codes of its errors, after their public words, and the names of their texts: what the log and pages may say. */
  readonly codes?: Readonly<Record<`${PublicError} ${string}`, CodeText>>
  /** Reads the app's own texts of pages and mails. */
  readonly ownTexts?: ReadOwnTexts
  /** CSS rules for its pages: only our own text. A rule that several features list appears once. */
  readonly styles?: readonly string[]
  /** May strangers have a site below this host? Asked of each wildcard among the trusted origins. */
  isPublicSuffix?(host: string): boolean
  /** By the path below the base path; `/:provider` may end it. */
  readonly routes?: Readonly<Record<string, Route>>
  /** By the path below the origin, such as `/.well-known/webauthn`. @returns `undefined`: there is no such page */
  readonly wellKnown?: Readonly<Record<string, (request: AuthRequest) => Outcome | undefined>>
  /** A page below that of the account, to which that leads. Needs the feature `account`. */
  readonly account?: AccountSection
  readonly guard?: Guard
  readonly proofs?: AppProofs
  readonly relay?: Relay
  readonly tokens?: Tokens
  /** The person of a proved way. The first answer counts. @returns `undefined`: another feature may know */
  identify?(
    request: AuthRequest,
    proved: SignedIn,
    entrance: FoundWay,
  ): Promise<Identified | undefined>
  readonly subjects?: Subjects
  /**
   * A flow comes back that keeps something of this feature ({@link FlowPart}). Without this hook none is gone on with.
   *
   * @returns the claims of the person who has asked for it, in the session that has
   * @throws {InvalidCheck} it is another session
   */
  resumed?(request: AuthRequest, part: unknown): Promise<SessionClaims>
  /** What a proof is for when it begins no session, such as a way that is added. The first answer counts. */
  instead?(request: AuthRequest, proof: Proof): Promise<Outcome | undefined>
  /**
   * Must a sign-in wait, such as for a second factor? Asked of all that gives a session. The first feature that says so keeps
   * it, and completes it by `finishPendingSignIn`, which asks the other ones. A session of another library cannot wait, and does not begin.
   *
   * @returns called once the id of the person is theirs; `undefined`: it need not wait
   */
  hold?(
    request: AuthRequest,
    signIn: SignIn,
  ): Promise<((pending: PendingSignIn) => Promise<Outcome>) | undefined>
  /** Does the app ask for more than one proof of a person? */
  asksMore?(request: AuthRequest, signedIn: SignedIn): Promise<boolean>
  /** What of a person brings a sign-in of theirs to `acr` 2, of all that this feature keeps of them. */
  means?(person: Person): readonly Means[]
  /** The person, as these ways are about to be theirs. */
  announced?(person: Person, ways: readonly PersonWay[]): Person
  /** What is kept of a person, without tokens and secrets, as `exportPerson` answers it. */
  exported?(
    request: AuthRequest,
    sub: string,
    person: Person | undefined,
  ): Promise<Partial<ExportedPerson>>
  /** The key in the ledger by which tries of a person are counted, which goes when they are erased. */
  countedAs?(sub: string): Promise<string>
  /** A part of the section of the account page about security. */
  protection?(request: AuthRequest, person: Person | undefined, place: SectionPlace): Markup
  readonly devices?: Devices
  readonly typed?: Typed
  readonly session?: SessionHooks
  readonly stepUp?: StepUp
  /** @param settings as {@link configure} made them */
  absentSession?(settings: Settings): AbsentSession
  /** The provider that this browser has signed in with last, which the sign-in page marks. */
  lastUsed?(request: AuthRequest): string | undefined
  readonly person?: PersonHooks
  /** Methods of `createAuth()` and of `AuthService`, by their names (service/operations.ts). */
  readonly operations?: Readonly<Record<string, Operation>>
}

/** What a feature is configured from, besides the configuration. */
export interface FeatureSurroundings {
  readonly env: Environment
  readonly basePath: string
  /** @throws {MissingSecret} */
  readonly secrets: () => readonly string[]
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** @param id the part of the path in the place of `:provider` */
type Handler = (request: AuthRequest, id: string) => Outcome | Promise<Outcome>

export interface Route {
  readonly GET?: Handler
  readonly POST?: Handler
  /** Is it there at all? Left out: it is. */
  readonly isThere?: (request: AuthRequest, id: string) => boolean
  /** Scripts read it, so its errors are JSON. */
  readonly isData?: true
  /** Is JSON that is sent to it a script's, whose redirects and errors are JSON too? Left out: never. */
  readonly isScripted?: (request: AuthRequest, id: string) => boolean
  /**
   * Does this POST send something to an address that a stranger names, or try a guess? Then a {@link Guard} is asked
   * first. Left out: never.
   *
   * @param kind of the provider that the path, or else the form, names
   */
  readonly needsHuman?: (kind: Kind | undefined, fields: Fields) => boolean | undefined
}

/** A section of the account page. */
export interface AccountSection {
  /** The end of its path, such as `keys`. */
  readonly name: string
  title(words: Words): string
  /** @param claims of the signed-in person */
  show(request: AuthRequest, claims: SessionClaims, words: Words): Promise<Markup>
}

/** Where a part of the account page stands. */
export interface SectionPlace {
  readonly words: Words
  readonly base: string
  readonly csrfToken: string
  /** Where its forms go on; left out: the page of the account. */
  readonly back?: string | undefined
  /** The page of its own, if this is another one. */
  readonly href?: string | undefined
}

/** Lets only people send the forms that a stranger could send without end. */
export interface Guard {
  /** The codes of its refusals; the person has to send the form once more. */
  readonly codes: readonly string[]
  /** @throws {AccessDenied} the form does not come from a person */
  check(request: AuthRequest, fields: Fields): Promise<void>
  /** What such a form shows. */
  field(request: AuthRequest, words: Words): Markup | undefined
  /** The scripts of a page, if the field is on it. */
  scripts(page: Markup): readonly PageScript[]
}

/** Reads by what an app that forwards proves itself. */
export interface AppProofs {
  /** @returns `undefined`: there is no proof, or it does not count, which the log says */
  read(original: Request, parts: ServiceParts): Promise<AppProof | undefined>
  /** Warns the operator of a proof that was used before. */
  notifyReplay(request: AuthRequest): void
}

/** Providers' answers come through another service, to which they are registered. */
export interface Relay {
  /** @returns `undefined`: the answers of a provider come here directly */
  via(request: AuthRequest, provider: string): Via | undefined
  /** @returns `undefined`: the answer is for this service @throws {InvalidCheck} */
  passOn(
    request: AuthRequest,
    provider: Pick<ResolvedProvider, 'id'>,
    response: URLSearchParams,
  ): Promise<Outcome | undefined>
}

/** How a provider's answers come to this service. */
export interface Via {
  readonly redirectUri: string
  /** The `state` that the provider is sent. @throws {InvalidConfiguration} it cannot be carried */
  state(flow: Pick<StartedFlow, 'provider' | 'state'>): Promise<string>
  /** The answer that has come. @throws {InvalidCheck} */
  answer(): Promise<URLSearchParams>
}

/** Keeps, refreshes and revokes the tokens of providers. Without it none is kept. */
export interface Tokens {
  /** What a session keeps of the tokens of its sign-in. */
  toStore(account: Account): ProviderTokens | undefined
  /** Keeps tokens beyond the session, for a person with several ways. @throws {StoreUnavailable} */
  connect(
    request: AuthRequest,
    way: { readonly sub: string; readonly way: string; readonly provider: string },
    tokens: ProviderTokens | undefined,
  ): Promise<ProviderTokens | undefined>
  /** The newest tokens of a session. @throws {StoreUnavailable} */
  newest(request: AuthRequest, standing: StandingSession): Promise<ProviderTokens | undefined>
  /** Never throws. */
  accessToken(request: AuthRequest, standing: StandingSession): Promise<AccessToken>
  /** The token of the person that a request's cookie signs in. Never throws. */
  ofBrowser(request: AuthRequest, provider: string | undefined): Promise<AccessToken>
  /** Prepares the revocation at the provider, to be called after the session has ended. Never rejects. */
  revocation(
    request: AuthRequest,
    claims: Pick<SessionClaims, 'sub' | 'sid' | 'auth_time' | 'began' | 'amr'>,
  ): Promise<() => Promise<void>>
}

/** A proved way, before anybody is signed in by it. */
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
  /** What mails say of it, where it is no way. */
  says?(words: Words): Omit<Notice, 'to'>
  /** The person with a note about the notice, if the change is not of a way. */
  noted?(person: Person, note: Unconfirmed): Person
}

/** Ids that the app gives to people. */
export interface Subjects {
  /** @returns `undefined`: the id follows from the account @throws {CallbackFailed} */
  ask(request: AuthRequest, proved: Pick<SignedIn, 'user' | 'account'>): Promise<string | undefined>
  /**
   * The person who has an account by the app's word, though the ledger does not know the way: for a person who adds it.
   *
   * @throws {CallbackFailed} @throws {StoreUnavailable}
   */
  holder(request: AuthRequest, signedIn: SignedIn, way: string): Promise<string | undefined>
  /** May the app say of several accounts that they are one person's? */
  isShared(request: AuthRequest): boolean
}

/** A sign-in whose person is known. */
export interface SignIn {
  readonly signedIn: SignedIn
  /** Their document, if the ledger knows the owner of the way. */
  readonly document: ReadPerson | undefined
  /** What it is for. Empty: a session of another library goes on. */
  readonly purpose: Partial<Purpose>
}

/**
 * A sign-in that waits. A feature keeps all of it, and asks itself whether the way is still the person's: the core asks the
 * rest when the sign-in goes on.
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
  /** Leaves this browser known for a person who has ended their sessions everywhere else with it. */
  keep(request: AuthRequest, claims: Pick<SessionClaims, 'sub' | 'amr'>): Promise<void>
}

/** The names that people have typed into forms with a mistake. */
export interface Typed {
  keep(request: AuthRequest, refusal: Refusal): Promise<void>
  /** @param typed into the form of a provider, where this very answer shows it again */
  names(request: AuthRequest, typed?: TypedForm): Promise<TypedNames | undefined>
}

/** A sign-in after which a session has begun, or goes on. */
export interface Begun {
  /** The person, if they were read. */
  readonly document: ReadPerson | undefined
  /** The key in the ledger by which tries to sign in as the person are counted. */
  readonly limited: string | undefined
  /** Was a code of a second factor part of it? */
  readonly hasCode: boolean
}

/** The first session of a person. */
export interface FirstSession {
  /** To be called if nobody is signed in after all. Never rejects. */
  undo(): Promise<void>
  /** Where the person goes before the target. */
  page(target: SafeRedirect): SafeRedirect | undefined
}

export interface SessionHooks {
  /** Before a session begins. A throw signs nobody in. */
  beginning?(request: AuthRequest, signedIn: SignedIn): Promise<void>
  /**
   * Is it the first session of its person? Asked of a person whom the ledger did not know.
   *
   * @param claim to their id, if it was read just now
   * @returns `undefined`: the person was here before
   */
  first?(request: AuthRequest, signedIn: SignedIn, claim?: Claim): Promise<FirstSession | undefined>
  /** Before a session goes on whose person has proved once more who they are. A throw refuses that. */
  proved?(request: AuthRequest, signedIn: SignedIn): Promise<void>
  /** While the sessions end that a browser had before it signs in: what else would sign it in ends as well. */
  switched?(request: AuthRequest): Promise<void>
  /** After a session has begun, or its person has proved once more who they are. */
  begun?(request: AuthRequest, signedIn: SignedIn, begun: Begun): Promise<void>
  /** The person of this browser was deleted: its cookies must not name them. */
  forgotten?(request: AuthRequest): void
  /** After a session has begun: cookies for the browser. */
  marked?(request: AuthRequest, provider: string): void
  /**
   * After a session was ended, before its record is deleted. A rejection is logged, and leaves the record.
   *
   * @returns `undefined`: there is nothing to do
   */
  ended?(
    request: AuthRequest,
    session: { readonly sub: string; readonly sid: string },
  ): Promise<void> | undefined
}

/** What a browser may bring that has no session of ours, such as one of a library that the app has used before. */
export interface AbsentSession {
  /** From then on nothing is read. Milliseconds since the epoch. */
  readonly until: number
  /**
   * Begins a session by what the request brings, if there is none of ours, and sets the cookies.
   *
   * @returns `undefined`: the request brings nothing, and nothing is changed
   * @throws {StoreUnavailable}
   */
  begin(request: AuthRequest): Promise<SessionClaims | undefined>
  /** The same, as the answer of GET and HEAD /session. @throws {StoreUnavailable} */
  answer(request: AuthRequest): Promise<Outcome>
  /** The answer for a browser without a session, which tells apps that forward that others may bring something. */
  nobody(request: AuthRequest): Outcome
  /**
   * Uses up what a browser brings whose person signs in or out, which would sign them in again, and removes its cookies.
   *
   * @throws {StoreUnavailable}
   */
  end(request: AuthRequest): Promise<void>
  /** Has the request a cookie of such a name? */
  mayCome(request: AuthRequest): boolean
}

/** Whether and by which ways a signed-in person can prove once more who they are. */
export interface StepUp {
  ownProviders(
    request: AuthRequest,
    claims: SessionClaims,
  ): Promise<{ readonly ids: ReadonlySet<string>; readonly isWaiting: boolean }>
}

interface PersonHooks {
  /** Finishes the erasure of a person that has failed halfway. @throws {StoreUnavailable} */
  goOnErasing(request: AuthRequest, sub: string): Promise<void>
}

/**
 * A method for the operator. No argument has a default: bindings and context come behind as many as
 * it takes.
 */
export type Operation = (request: AuthRequest, ...args: never[]) => Promise<unknown>
