import type { User } from '@latchkey/session'
import type { Awaitable } from '../../types/awaitable.js'

/** Members of the configuration. */
export interface ConfigOfSecondFactor {
  /**
   * Does this user need a second factor, even if they have not set one up? A user without one sets
   * it up before they are signed in. Called after the `signIn` callback, at each sign-in, except
   * one with a passkey, which counts as two factors, and except for users with a second factor,
   * which is asked for anyway. A throw, and anything but `true` and `false`, refuses the sign-in
   * (docs/second-factor.md).
   *
   * @param person `amr` says how they have signed in: the provider's id first
   * @example secondFactor: ({ user }) => user.email?.endsWith('@staff.example') ?? false
   */
  secondFactor?(person: {
    readonly sub: string
    readonly user: User
    readonly amr: readonly string[]
  }): Awaitable<boolean>
}

/** Methods for the operator. */
export interface MethodsOfSecondFactor {
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
}

/** Lists of an export of a person. */
export interface ExportsOfSecondFactor {
  readonly factors: readonly ExportedFactor[]
}

/** A second factor. */
export interface ExportedFactor {
  readonly type: 'totp'
  /** ISO 8601. */
  readonly added: string
  /** How many are left. */
  readonly recoveryCodes: number
}
