/** Methods for the operator. */
export interface MethodsOfAuthorizationServer {
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
}

/** Lists of an export of a person. */
export interface ExportsOfAuthorizationServer {
  /** The apps that the person has let in. */
  readonly apps: readonly ListedApp[]
  readonly keys: readonly ListedKey[]
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
  /** The id of the company by whose provider the person let it in, or whose assertions say so. */
  readonly company?: string
}

/** An API key as its person and the operator see it. Times are ISO 8601. */
export interface ListedKey {
  /** By which it is ended. Not a credential. */
  readonly id: string
  readonly name: string
  /** The prefix and four characters. */
  readonly start: string
  readonly resource: string
  readonly scopes: readonly string[]
  readonly created: string
  readonly expires: string
  /** To the day; `null`: never. */
  readonly lastUsed: string | null
}

/** What an API key is to be. */
export interface WantedKey {
  /** What its person calls it, 1 to 64 printable characters. */
  readonly name: string
  /** The URI of a configured resource. Left out: the only one that there is. */
  readonly resource?: string
  /** Scopes of the resource, at least one. */
  readonly scopes: readonly string[]
  /** How long it lasts, 1 to 365. Default 90. */
  readonly days?: number
}

/** A key that was just made. Nothing shows it a second time. */
export interface MadeKey {
  readonly id: string
  readonly key: string
}
