import type { AccessToken } from './account.js'
import type { ListedKey, MadeKey, WantedKey } from './api-key.js'
import type { AuditHeads, AuditPage, AuditQuery } from './audit.js'
import type { AuthConfig } from './auth-config.js'
import type { ExportedFactor, ExportedPerson, ExportedSession } from './exported-person.js'
import type { WebhookState } from './webhooks.js'

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
 * as they are here. No browser can call them.
 */
export interface Operations {
  /**
   * The access token of a person's connection with a provider, whether they are signed in or not:
   * for jobs. There is one for each way to sign in that the person has added, and for the first way
   * of a person who has added one. Never throws; `no-token` if the provider is not one of their
   * ways.
   *
   * A configuration that is a function gets a request for `https://operator.invalid/`, as for all
   * methods that follow.
   *
   * @param sub the person's id, `user.id` of their session
   * @param provider its id
   * @example const token = await auth.getAccessTokenOf(sub, 'videoapp', env, ctx)
   */
  getAccessTokenOf(sub: string, provider: string): Promise<AccessToken>
  /**
   * Ends a person's connection with a provider, and revokes its tokens there if that is
   * possible. The way stays: a sign-in with it connects it again. Nothing happens if there is no
   * connection.
   *
   * @throws {TypeError} when `sub` or `provider` is invalid
   * @throws {StoreUnavailable} when the ledger cannot be written: call it again
   * @example await auth.disconnect(sub, 'videoapp', env, ctx)
   */
  disconnect(sub: string, provider: string): Promise<void>
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
  /**
   * The ways in which a person may sign in, as `GET /ways` shows them to the person. For a person
   * with one way it is known while one of their sessions goes on.
   *
   * @returns an empty list for an unknown person
   * @throws {TypeError} when `sub` is invalid
   * @throws {StoreUnavailable}
   * @example const ways = await auth.listWays(sub, env, ctx)
   */
  listWays(sub: string): Promise<readonly ListedWay[]>
  /**
   * Erases a person (GDPR, article 17): their sessions end as in `endSessions`, and all of their
   * data is deleted. Only the endings remain, under names that nobody can make of their id, until
   * the last of their tokens could have lived. Nothing happens to a `sub` that nobody has, and the
   * second call of two does nothing more.
   *
   * KV lists a record a minute late: a session that began in the last minute may leave an ended
   * record, which a later call deletes.
   *
   * @throws {TypeError} when `sub` is invalid
   * @throws {StoreUnavailable} when something could not be deleted: call it again
   * @example await auth.deletePerson(sub, env, ctx)
   */
  deletePerson(sub: string): Promise<void>
  /**
   * Takes the second factor from a person who has lost it, recovery codes and all. They get a mail,
   * at every verified address. Their sessions go on: end them if the account may be in other
   * hands. If a person has no such address, their passkeys count as one factor until they are
   * confirmed, so that a lost one can be removed. Nothing happens to anybody else.
   *
   * @throws {TypeError} when `sub` is invalid
   * @throws {StoreUnavailable} call it again
   * @example await auth.resetFactors(sub, env, ctx)
   */
  resetFactors(sub: string): Promise<void>
  /**
   * All data of a person, as JSON, without tokens and secrets (GDPR, article 15).
   *
   * @returns `null` for an unknown person
   * @throws {TypeError} when `sub` is invalid
   * @throws {StoreUnavailable} when it cannot be read
   * @example const kept = await auth.exportPerson(sub, env, ctx)
   */
  exportPerson(sub: string): Promise<ExportedPerson | null>
  /**
   * The apps that a person has let in, as `GET /apps` shows them to the person: one for each app and resource, the one that
   * was used last first.
   *
   * @returns an empty list for an unknown person
   * @throws {TypeError} when `sub` is invalid
   * @throws {StoreUnavailable}
   * @example const apps = await auth.listApps(sub, env, ctx)
   */
  listApps(sub: string): Promise<readonly ListedApp[]>
  /**
   * Ends all that an app may do for a person: at once for the ledger, in fifteen seconds at every API. The consent goes too, so
   * that the app has to ask again. Nothing happens if the person has not let it in.
   *
   * @param clientId its `client_id`
   * @throws {TypeError} naming the argument that is wrong
   * @throws {StoreUnavailable} when the ledger cannot be written: call it again
   * @example await auth.endApp(sub, 'notes', env, ctx)
   */
  endApp(sub: string, clientId: string): Promise<void>
  /**
   * Makes an API key of a person, as `POST /keys/create` does for the person.
   *
   * @returns the key, which nothing shows again, and the id by which it is ended
   * @throws {TypeError} naming the argument that is wrong
   * @throws {AccessDenied} with `code` `too_many_keys`: the person has fifty
   * @throws {StoreUnavailable} when the ledger cannot be written: call it again
   * @example const { key } = await auth.createKey(sub, { name: 'CI', scopes: ['notes:read'] }, env, ctx)
   */
  createKey(sub: string, key: WantedKey): Promise<MadeKey>
  /**
   * The API keys of a person, the oldest first, without secrets.
   *
   * @returns an empty list for an unknown person
   * @throws {TypeError} when `sub` is invalid
   * @throws {StoreUnavailable}
   * @example const keys = await auth.listKeys(sub, env, ctx)
   */
  listKeys(sub: string): Promise<readonly ListedKey[]>
  /**
   * Ends an API key of a person: every API refuses it within fifteen seconds. Nothing happens if it is not theirs.
   *
   * @param id as `listKeys` has it; `undefined`: all of them
   * @throws {TypeError} naming the argument that is wrong
   * @throws {StoreUnavailable} when the ledger cannot be written: call it again
   * @example await auth.endKey(sub, undefined, env, ctx)
   */
  endKey(sub: string, id?: string): Promise<void>
  /**
   * A page of the audit log, the newest record first (docs/audit.md). Only a page whose `next` is null is the last one: one
   * that found little may be shorter than `limit`.
   *
   * @throws {TypeError} naming the member of the query that is wrong
   * @throws {InvalidConfiguration} when the audit log is off
   * @throws {StoreUnavailable} when an object of the ledger cannot be read
   * @example const { records, next } = await auth.audit({ sub, limit: 20 }, env, ctx)
   */
  audit(query?: AuditQuery): Promise<AuditPage>
  /**
   * The newest record of each chain of the audit log, and the last one that was deleted after its days. Keep them elsewhere:
   * `latchkey audit verify --heads` compares with them (docs/audit.md).
   *
   * @throws {InvalidConfiguration} when the audit log is off
   * @throws {StoreUnavailable} when an object of the ledger cannot be read
   * @example const { chains } = await auth.auditHeads(env, ctx)
   */
  auditHeads(): Promise<AuditHeads>
  /**
   * The messages of the webhook that were not received, and how many wait (docs/webhooks.md).
   *
   * @throws {InvalidConfiguration} when webhooks are off
   * @throws {StoreUnavailable} when an object of the ledger cannot be read
   * @example const { waiting, failed } = await auth.webhooks(env, ctx)
   */
  webhooks(): Promise<WebhookState>
  /**
   * Sends the message of a record again, with all of its tries, also if it was received, or is not one of
   * `AUTH_WEBHOOK_EVENTS`.
   *
   * @param id of the record: `webhook-id` of the message
   * @returns `false` if there is no such record
   * @throws {TypeError} when `id` is invalid
   * @throws {InvalidConfiguration} when webhooks are off
   * @throws {StoreUnavailable} call it again
   * @example await auth.resendWebhook('ledger_17', env, ctx)
   */
  resendWebhook(id: string): Promise<boolean>
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

/**
 * A sign-in method. Times are ISO 8601, `null` if nothing keeps them, such as for a person with one
 * way.
 */
export interface ListedWay {
  /** It does not change, and opens nothing. */
  readonly id: string
  /** Id of the provider. */
  readonly provider: string
  /** The person's name at the provider, or the address with most of it hidden. */
  readonly name: string | null
  readonly added: string | null
  /** To the day. */
  readonly lastUsed: string | null
}

/** What an app may do for a person. Times are ISO 8601. */
export interface ListedApp {
  /** Its `client_id`. */
  readonly app: string
  readonly name: string
  /** The host at which an app describes itself that nobody has registered; `null`: it is configured. */
  readonly host: string | null
  /** The `aud` of its access tokens. */
  readonly resource: string
  readonly scopes: readonly string[]
  /** Does its access outlive a sign-out of the browser? */
  readonly offline: boolean
  /** When the person first let it in. */
  readonly added: string
  readonly lastUsed: string
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
}
