import type { AuthorizedUser } from './account.js'
import type { Awaitable } from './awaitable.js'
import type { SignInKind } from './sign-in-kind.js'

/** One input of a credentials form. The members are those of an HTML input. */
export interface CredentialInput {
  /** The label above it. Default: its name. */
  readonly label?: string
  /** The type of the HTML input, such as `password`. Default `text`. */
  readonly type?: string
  /** The text in it while it is empty. Default: nothing. */
  readonly placeholder?: string
  /** Its first value. Default: nothing. */
  readonly value?: string
  /** The value that browsers fill in, such as `one-time-code`. Default: by its type and name. */
  readonly autocomplete?: string
  /** The user must fill it in. Default `false`. */
  readonly required?: boolean
}

/** The options of the credentials provider. */
export interface CredentialsUserConfig {
  /** Part of its routes. Default `credentials`. */
  readonly id?: string
  /** The name of its form on the sign-in page. Default `Credentials`. */
  readonly name?: string
  /**
   * The form's fields by name, for example `{ email: { type: 'email' }, password: { type: 'password' } }`.
   * Default: `username` and `password`, in the user's language.
   */
  readonly credentials?: Readonly<Record<string, CredentialInput>>
  /**
   * The user of these credentials, or `null`. Without an `id` they are their `email` in lower case:
   * then make sure that no user can sign up with another person's address. Throw a {@link
   * CredentialsSignin} to give a `code` to the sign-in page. Ten seconds at most.
   */
  readonly authorize: (
    credentials: Readonly<Partial<Record<string, unknown>>>,
    request: Request,
  ) => Awaitable<AuthorizedUser | null>
}

/** Sign-in with a user name and password, or any other fields of a form. */
export interface CredentialsConfig extends CredentialsUserConfig {
  /** Part of its routes. */
  readonly id: string
  /** The name of its form on the sign-in page. */
  readonly name: string
  /** The type of the provider. Default: `credentials()` sets it. */
  readonly type: 'credentials'
  /** How it signs in. Default: its function sets it, or its `type` says it. */
  readonly kind?: SignInKind
}
