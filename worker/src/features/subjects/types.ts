import type { User } from '@latchkey/session'
import type { Account } from '../../types/account.js'
import type { Awaitable } from '../../types/awaitable.js'

/** Members of the configuration. */
export interface ConfigOfSubjects {
  /**
   * Your own id for a provider's account, so that `user.id` and `sub` are the ids of your tables.
   * Called at each sign-in with a way that no user has added, after its proof and before the
   * `signIn` callback. 1 to 255 characters, not blank, without control characters; a whole number
   * becomes text; `undefined` is the default, a digest of the account. A throw, no answer within
   * ten seconds and anything else refuse the sign-in (`Configuration`). The first account that has
   * an id owns it (`OAuthAccountNotLinked` for another one). See docs/accounts.md before you switch
   * it on or off.
   *
   * @param of `user` is the person as the provider described them: its `id` is
   * `account.providerAccountId`
   * @example subject: ({ provider, user }) => (provider === 'credentials' ? user.id : undefined)
   */
  subject?(of: {
    readonly provider: string
    readonly account: Account
    readonly user: User
  }): Awaitable<string | number | undefined>
  /**
   * Accounts with the same id from `subject` are one user, in any order. Default `false`: an id
   * belongs to one account.
   */
  readonly sharedSubjects?: boolean
}
