import type { SessionClaims } from '@latchkey/session'
import type { UserCutoff } from '@latchkey/session/issue'
import type { PublicError } from '../errors.js'
import type { Kind, ResolvedProvider } from '../http/kind.js'
import type { Outcome } from '../http/outcome.js'
import type { Purpose } from '../http/purpose.js'
import type { AuthRequest } from '../http/request.js'
import type { Translations } from '../languages/load.js'
import type { CodeText, Table } from '../languages/texts.js'
import type { Markup } from '../pages/markup.js'
import type { FoundWay } from '../person/found-way.js'
import type { Person, PersonWay } from '../person/person.js'
import type { SignedIn } from '../session/signed-in.js'
import type { StoreWarning } from '../stores/ports.js'
import type { ExportedPerson } from '../types/exported-person.js'
import type { Feature as PublicFeature } from '../types/feature.js'
import type { AuthConfig, Environment, LogEvent } from '../types.js'
import type { AccountSection, SectionPlace } from './account-hooks.js'
import type { Ports } from './ports.js'
import type { Route } from './request-hooks.js'
import type { SessionHooks } from './session-hooks.js'
import type { Identified, Means, PendingSignIn, Proof, SignIn } from './sign-in-hooks.js'

/**
 * A capability: a name, and what it hooks into. Its manifest has the facts for others (`manifest.ts`). The core asks
 * a hook of each feature that is on, in the order of the list, and asks a feature that is off nothing. A port has one answer,
 * or the default of `ports.ts`.
 *
 * @typeParam Settings what `configure` makes of the configuration
 */
export interface Feature<Settings = unknown> extends PublicFeature {
  /** Features without which this one does not work. They come before it, and are on where it is. */
  readonly needs?: readonly Feature[]
  /** Is it on, and how? `undefined`: it is off. Left out: it is on. @throws {InvalidConfiguration} */
  configure?(config: AuthConfig, surroundings: FeatureSurroundings): Settings | undefined
  /** Lines that the log has once for each environment. */
  warn?(settings: Settings, surroundings: FeatureSurroundings): readonly StoreWarning[]
  /** What it shows. */
  readonly pages?: Pages
  /** What it decides of a sign-in. */
  readonly signIn?: SignInHooks
  /** What it does as sessions begin and end. */
  readonly session?: SessionHooks
  /** What it keeps of a person. */
  readonly person?: PersonHooks
  /** What it does for the operator. */
  readonly operator?: OperatorHooks
  /** Questions of the core that it answers; a function of its settings, if the answers depend on them. */
  readonly ports?: Partial<Ports> | ((settings: never) => Partial<Ports>)
}

export interface Pages {
  /** By the path below the base path; `/:provider` may end it. */
  readonly routes?: Readonly<Record<string, Route>>
  /**
   * By a path below the base path: the feature has every path below that, such as `/operator/listWays` for `/operator`. The route gets
   * the rest of the path as its `id`, as the request has it.
   */
  readonly below?: Readonly<Record<string, Route>>
  /** By the path below the origin, such as `/.well-known/webauthn`; `/:base` at its end stands for the base path. */
  readonly wellKnown?: Readonly<Record<string, Route>>
  /** Its own paths to which a sign-in comes back, whatever the app's `redirect` callback says. */
  readonly returnsTo?: readonly string[]
  /** Sections of the account page, each with an address of its own, if there is the feature `account`. */
  readonly account?: AccountSection | readonly AccountSection[]
  /** A part of the section of the account page about security. */
  protection?(request: AuthRequest, person: Person | undefined, place: SectionPlace): Markup
  /** CSS rules for its pages: only our own text. A rule that several features list appears once. */
  readonly styles?: readonly string[]
  /** English texts that this feature alone shows. Other languages have them in its name (`npm run generate`). */
  readonly texts?: () => Table
  /**
   * Those texts in another language, by its tag: of a feature that comes by import, so that no other service has them
   * (`npm run generate`). Left out: they are in the tables of languages.
   */
  readonly translations?: Translations
  /**
   * The codes of its errors, after their public words, and the names of their texts: the codes and
   * texts that the log and pages may have.
   */
  readonly codes?: Readonly<Record<`${PublicError} ${string}`, CodeText>>
}

interface SignInHooks {
  /** The kinds of sign-in of plain provider objects, by their `type`. */
  readonly kinds?: Readonly<Record<string, Kind>>
  /** Providers of its own, which no configuration lists. */
  readonly providers?: readonly ResolvedProvider[]
  /** The person of a proved way. The first answer counts. @returns `undefined`: another feature may know */
  identify?(
    request: AuthRequest,
    proved: SignedIn,
    entrance: FoundWay,
  ): Promise<Identified | undefined>
  /**
   * A flow with data of this feature comes back ({@link FlowPart}). Without this hook such flows
   * are refused.
   *
   * @returns the claims of the session that has begun the flow; `undefined`: none has
   * @throws {InvalidCheck} it is another session
   */
  resumed?(request: AuthRequest, part: unknown): Promise<SessionClaims | undefined>
  /**
   * Handles a proof that begins no session, such as that of a way to add. Called for a flow with
   * data of a feature ({@link FlowPart}), which signs no user in. The first answer counts.
   */
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
  /**
   * Called for a proof before its person is looked for, unless a signed-in user steps up. The first answer takes the place of the sign-in.
   */
  detour?(request: AuthRequest, proof: Proof): Promise<Outcome | undefined>
  /**
   * May the person of a sign-in have a session by this proof? Asked of all that gives one, after the app has agreed and
   * before {@link hold}; also of a sign-in that has waited. A throw refuses it.
   */
  check?(request: AuthRequest, signIn: SignIn): Promise<void>
  /**
   * A flow with data of a feature has ended with an approved proof: what comes in the place of a session. The first answer counts.
   */
  completed?(
    request: AuthRequest,
    signedIn: SignedIn,
    purpose: Purpose,
  ): Promise<Outcome | undefined>
  /** Does the app ask for more than one proof of a person? */
  asksMore?(request: AuthRequest, signedIn: SignedIn): Promise<boolean>
}

interface PersonHooks {
  /** The means of a person that this feature keeps and that bring a sign-in to `acr` 2. */
  means?(person: Person): readonly Means[]
  /** The person, as these ways are about to be theirs. */
  announced?(person: Person, ways: readonly PersonWay[]): Person
  /** All stored data of a person, without tokens and secrets, as `exportPerson` answers them. */
  exported?(
    request: AuthRequest,
    sub: string,
    person: Person | undefined,
  ): Promise<Partial<ExportedPerson>>
  /**
   * The ids of providers by which a person proves again who they are, without a way of their own.
   *
   * @param person whose document it is
   */
  provesBy?(request: AuthRequest, person: Person): readonly string[]
  /**
   * A way of a person is being removed.
   *
   * @param person without it
   * @returns what goes with it, in the same change; `undefined`: nothing does
   */
  losing?(request: AuthRequest, sub: string, person: Person): Lost | undefined
  /** The key in the ledger by which tries of a person are counted, which goes when they are erased. */
  countedAs?(sub: string, request: AuthRequest): Promise<string>
  /**
   * A person is erased: ends and deletes all that this feature keeps of them. Called after their
   * sessions have ended, and before their documents are deleted. It may be called again.
   *
   * @throws {StoreUnavailable} the erasure fails with it, and is repeated
   */
  gone?(request: AuthRequest, sub: string): Promise<void>
  /** Finishes the erasure of a person that has failed halfway. @throws {StoreUnavailable} */
  goOnErasing?(request: AuthRequest, sub: string): Promise<void>
  /**
   * The provider of a company has ended all sessions of a person that it began: ends what else rests on its word. It may be called
   * again.
   *
   * @param by `company` is the id of the company
   * @throws {StoreUnavailable} the logout fails with it, and is repeated
   */
  loggedOut?(request: AuthRequest, sub: string, by: { readonly company: string }): Promise<void>
  /**
   * The operator has blocked a person: ends all that gives them tokens without a session. Called after their sessions have
   * ended. It may be called again.
   *
   * @throws {StoreUnavailable} the block fails with it, and is repeated
   */
  blocked?(request: AuthRequest, sub: string): Promise<void>
  /**
   * All sessions of a person have ended, or all but one: ends what outlives a session and has begun by a clock that is ahead, which
   * that end leaves out. It may be called again.
   *
   * @throws {StoreUnavailable} the ending fails with it, and is repeated
   */
  endedAll?(request: AuthRequest, cutoff: UserCutoff): Promise<void>
}

/** What a person loses together with a way. */
interface Lost {
  without(person: Person): Person
  /** Tells the person afterwards. @param before with the way */
  announce(before: Person): Promise<void>
}

interface OperatorHooks {
  /** Its methods of `createAuth()` and of `AuthService`, by the names in its manifest. */
  readonly operations?: Readonly<Record<string, Operation>>
  /**
   * A method for the operator is about to run, with arguments that were checked. If this throws, it does not run.
   *
   * @param name such as `endSessions`
   * @throws {StoreUnavailable}
   */
  operated?(request: AuthRequest, name: string, args: readonly unknown[]): Promise<void>
  /**
   * An event of the log, before the answer to the request. If this throws, the person's request continues.
   *
   * @param event as the log has it, by digests
   */
  onEvent?(request: AuthRequest, event: LogEvent, people: EventPeople): Promise<void>
}

/** The sources of a feature's settings, besides the configuration. */
export interface FeatureSurroundings {
  readonly env: Environment
  readonly basePath: string
  /** @throws {MissingSecret} */
  readonly secrets: () => readonly string[]
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** The people of an event. No line of the log has these ids. */
export interface EventPeople {
  /** The `sub` of the person. */
  readonly sub?: string | undefined
  /** The person that a request names without a proof: a `sub`, or a key of the person. */
  readonly claimed?: string | undefined
}

/**
 * A method for the operator. No argument has a default: bindings and context come behind as many as
 * it takes.
 */
export type Operation = (request: AuthRequest, ...args: never[]) => Promise<unknown>
