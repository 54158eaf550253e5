/** Several ways to sign in for one user (docs/accounts.md). */
export interface WaysConfig {
  /**
   * `refuse`: a removed way cannot sign in until the same user adds it again. Default: it is a
   * separate user again, except a user's first way, because its `sub` is in use.
   */
  readonly unlinked?: 'refuse'
}
