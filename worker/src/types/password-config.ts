import type { customFetch } from '../lib/symbols.js'
import type { SignInKind } from './sign-in-kind.js'

/** The options of the password provider. */
export interface PasswordUserConfig {
  /** What pages call it. Default `Password`. */
  readonly name?: string
  /** The id of the provider `email()` whose addresses count. Default: the only one. */
  readonly email?: string
  /**
   * The least length of a new password, in characters: a whole number from 8 to 64. Below 15, demand a second factor of
   * everybody (`secondFactor`). Default 15.
   */
  readonly minLength?: number
  /** Refuse a new password that Have I Been Pwned knows. Default `false`. */
  readonly breached?: boolean
  /** More words that are easy to guess here, each of 3 to 64 characters. Default: none. */
  readonly context?: readonly string[]
  /** What Have I Been Pwned is asked with. Default: the platform's `fetch`. */
  readonly [customFetch]?: typeof fetch
}

/** Sign-in with an address and a password that is set here. */
export interface PasswordConfig extends PasswordUserConfig {
  /** Part of its routes. Default: `password`, and nothing else. */
  readonly id: 'password'
  /** Its name on pages. Default `Password`. */
  readonly name: string
  /** The type of the provider. Default: `password()` sets it. */
  readonly type: 'password'
  /** How it signs in. Default: its function sets it, or its `type` says it. */
  readonly kind?: SignInKind
}
