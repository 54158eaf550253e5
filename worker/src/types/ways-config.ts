/** Several ways to sign in for one user (docs/accounts.md). */
export interface WaysConfig {
  /**
   * If a user adds a way that belongs to another user, the two are merged: the other user's ways
   * are moved, their sessions end, and the event `merge` says so. Default: it is refused
   * (`OAuthAccountNotLinked`).
   */
  readonly merge?: boolean
  /**
   * `refuse`: a removed way cannot sign in until the same user adds it again. Default: it is a
   * separate user again, except a user's first way, because its `sub` is in use.
   */
  readonly unlinked?: 'refuse'
}
