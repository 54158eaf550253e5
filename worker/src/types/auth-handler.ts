import type { AccessToken } from './account.js'
import type { AuthConfig } from './auth-config.js'
import type { ExportedSession } from './exported-person.js'
import type { ExportedFactor, ExportedPassword, FeatureMethods } from './of-features.js'

/** The used part of a Worker's `ExecutionContext`: work that continues after the answer. */
export interface RequestContext {
  waitUntil(work: Promise<unknown>): void
}

/** A config, or a function that makes one from a request's own bindings. */
export type ConfigSource<Env> =
  | AuthConfig
  | ((env: Env, request: Request, ctx: RequestContext) => AuthConfig | Promise<AuthConfig>)

/** The default export of a Worker's entry, an `ExportedHandler`; `request` is for tests. */
export interface AuthHandler<Env> extends OperationsWith<Env> {
  /** Called by the runtime. No compiler knows its bindings. */
  fetch(request: Request, env?: unknown, ctx?: RequestContext): Promise<Response>
  request(
    input: string | URL | Request,
    init?: RequestInit,
    env?: Env,
    ctx?: RequestContext,
  ): Promise<Response>
  /**
   * The provider's access token of the person that a request's cookie signs in, refreshed if it
   * is about to end. For the server only: a token in a browser can be stolen. Never throws; the
   * reason why there is none is in the answer.
   *
   * @param request its URL and its `Cookie` header count
   * @param of another of the person's providers; left out, the one that they have signed in with
   * @example const token = await auth.getAccessToken(request, env, ctx, { provider: 'videoapp' })
   */
  getAccessToken(
    request: Request,
    env?: Env,
    ctx?: RequestContext,
    of?: OfProvider,
  ): Promise<AccessToken>
}

/**
 * Methods for the operator. `createAuth()` has them with the bindings and the context of the caller
 * behind their own arguments; `AuthService`, which other Workers of the account may bind, has them
 * as they are here. No browser can call them. A configuration that is a function gets a request for
 * `https://operator.invalid/`.
 */
export interface Operations extends FeatureMethods {
  /**
   * Ends a person's sessions for the operator, as fast as the person's own "sign out everywhere":
   * at once for the ledger, in fifteen seconds in apps. Nothing happens to a `sub` that nobody has.
   * After a failure it may be called again, and finishes what was done in parts. It answers when
   * the second is over, so that a sign-in afterwards stays.
   *
   * @throws {TypeError} naming the argument that is wrong
   * @throws {StoreUnavailable} when the ledger cannot be written: call it again
   * @throws {AuthError} when the configuration cannot be used
   * @example await auth.endSessions({ sub }, env, ctx)
   */
  endSessions(whose: WhoseSessions): Promise<void>
  /**
   * Whether a person is blocked, and how many sessions, ways and connections they have.
   *
   * @returns `null` if it keeps nothing
   * @throws {TypeError} when `sub` is invalid
   * @throws {StoreUnavailable}
   * @example const person = await auth.getPerson(sub, env, ctx)
   */
  getPerson(sub: string): Promise<KeptPerson | null>
  /**
   * The sessions of a person as `GET /sessions` shows them to the person, the one that was used last first. KV may be late with
   * one that began within the last minute.
   *
   * @returns an empty list for an unknown person
   * @throws {TypeError} when `sub` is invalid
   * @throws {StoreUnavailable}
   * @example const sessions = await auth.listSessions(sub, env, ctx)
   */
  listSessions(sub: string): Promise<readonly OperatorSession[]>
  /**
   * Ends one session of a person, as the person does on the page of their account. Nothing happens if it is another person's, or
   * does not exist.
   *
   * @throws {TypeError} naming the argument that is wrong
   * @throws {StoreUnavailable} when the ledger cannot be written: call it again
   * @example await auth.endSession({ sub, session: id }, env, ctx)
   */
  endSession(which: OneSession): Promise<void>
  /**
   * Renews the claims of a person's sessions after you have stored a change: a role, an organization, a plan. Tokens that were
   * issued before are renewed at their next use, and both callbacks are asked again; nobody is signed out. It counts at once for
   * the ledger, and in fifteen seconds in apps. Nothing happens to a `sub` that nobody has.
   *
   * @throws {TypeError} naming the argument that is wrong
   * @throws {TooManyRefreshes} with `retryAfter`: the thousand of the last minutes are taken, and nothing was done
   * @throws {StoreUnavailable} when the ledger cannot be written: call it again
   * @example await auth.refreshClaims({ sub }, env, ctx)
   */
  refreshClaims(whose: WhoseClaims): Promise<void>
  /**
   * Blocks a person: from the answer on nothing gives them a session, by whichever of their ways, and whenever the sign-in began.
   * They read `AccessDenied` with `code=blocked`. Their sessions end as in `endSessions`, and so do the grants of apps and their
   * API keys. A person who is blocked already stays so from the same time on, and the new reason counts. A `sub` that nobody has
   * can be blocked.
   *
   * @throws {TypeError} naming the argument that is wrong
   * @throws {StoreUnavailable} when the ledger cannot be written: call it again
   * @example await auth.blockPerson({ sub, reason: 'Spam, ticket 4711' }, env, ctx)
   */
  blockPerson(whom: WhomToBlock): Promise<void>
  /**
   * Ends the block of a person, who may sign in again. Sessions, grants and keys that have ended stay ended. Nothing happens if
   * the person is not blocked.
   *
   * @throws {TypeError} when `sub` is invalid
   * @throws {StoreUnavailable} call it again
   * @example await auth.unblockPerson(sub, env, ctx)
   */
  unblockPerson(sub: string): Promise<void>
}

/** The same, with the bindings and the context of the caller. A handler for any bindings takes those of one Worker. */
type OperationsWith<Env> = {
  [Name in keyof Operations]: {
    method(
      ...args: [...Parameters<Operations[Name]>, env?: Env, ctx?: RequestContext]
    ): ReturnType<Operations[Name]>
  }['method']
}

/** The id of the provider of the token. */
export interface OfProvider {
  readonly provider?: string
}

/** The person whose sessions to end: all of them, or all but one. */
export interface WhoseSessions {
  /** The person's id, `user.id` of their session. 1 to 255 characters. */
  readonly sub: string
  /**
   * The `sid` of the session that goes on. One that is over, or that neither KV nor the ledger can
   * tell to be a later one than the last end of all, is not spared.
   */
  readonly except?: string
}

/** A session of a person, as the operator sees it. */
export type OperatorSession = Omit<ExportedSession, 'user'>

/** One session of a person. */
export interface OneSession {
  /** The person's id, `user.id` of their session. 1 to 255 characters. */
  readonly sub: string
  /** The session's `id`, as `listSessions` has it; its `sid`. */
  readonly session: string
}

/** The person whose claims to refresh: of all their sessions, or of one. */
export interface WhoseClaims {
  /** The person's id, `user.id` of their session. 1 to 255 characters. */
  readonly sub: string
  /** The `id` of one of the person's sessions, as `listSessions` has it; its `sid`. */
  readonly session?: string
}

/** The person to block. */
export interface WhomToBlock {
  /** The person's id, `user.id` of their session. 1 to 255 characters. */
  readonly sub: string
  /**
   * For other operators, and for the person's export of their data: 1 to 200 characters without control characters. No page shows it.
   */
  readonly reason?: string
}

/** A block. */
export interface BlockedSince {
  /** ISO 8601. */
  readonly since: string
  readonly reason: string | null
}

/** A person, and how many sessions, ways and connections they have. */
export interface KeptPerson {
  readonly sub: string
  /** `null`: the person is not blocked. */
  readonly blocked: BlockedSince | null
  readonly sessions: number
  readonly ways: number
  readonly connections: number
  readonly factors: readonly ExportedFactor[]
  /** Left out: the person has no password. */
  readonly password?: ExportedPassword
}
