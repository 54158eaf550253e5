import type { AccessToken } from '../../types/account.js'

/** Methods for the operator. */
export interface MethodsOfConnections {
  /**
   * The access token of a person's connection with a provider, whether they are signed in or not:
   * for jobs. There is one for each way to sign in that the person has added, and for the first way
   * of a person who has added one. Never throws; `no-token` if the provider is not one of their
   * ways.
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
}

/** Lists of an export of a person. */
export interface ExportsOfConnections {
  readonly connections: readonly ExportedConnection[]
}

/** A provider's tokens that outlive the session. */
export interface ExportedConnection {
  readonly provider: string
  /** The granted scopes; `null` if they are unknown. */
  readonly scope: string | null
  /** When the way was last proved. ISO 8601. */
  readonly since: string
}
