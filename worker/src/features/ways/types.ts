/** Members of the configuration. */
export interface ConfigOfWays {
  /** The rules for a user's ways to sign in. */
  readonly ways?: WaysConfig
}

/** Methods for the operator. */
export interface MethodsOfWays {
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
}

/** Lists of an export of a person. */
export interface ExportsOfWays {
  readonly ways: readonly ListedWay[]
}

/** Several ways to sign in for one user (docs/accounts.md). */
export interface WaysConfig {
  /**
   * `refuse`: a removed way cannot sign in until the same user adds it again. Default: it is a
   * separate user again, except a user's first way, because its `sub` is in use.
   */
  readonly unlinked?: 'refuse'
}

/**
 * A way to sign in. Times are ISO 8601, `null` if nothing keeps them, such as for a person with one
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
