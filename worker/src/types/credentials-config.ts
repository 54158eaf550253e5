import type { AuthorizedUser } from './account.js'
import type { Awaitable } from './awaitable.js'
import type { SignInKind } from './sign-in-kind.js'

/** One input of a credentials form. The members are those of an HTML input. */
export interface CredentialInput {
  readonly label?: string
  readonly type?: string
  readonly placeholder?: string
  readonly value?: string
  readonly autocomplete?: string
  readonly required?: boolean
}

/** The options of the credentials provider. */
export interface CredentialsUserConfig {
  readonly id?: string
  readonly name?: string
  /** The form's fields by name. */
  readonly credentials?: Readonly<Record<string, CredentialInput>>
  /**
   * The user of these credentials, or `null`. Without an `id` they are their `email` in lower case: then make sure
   * that nobody can sign up here with an address of somebody else. Throw a {@link CredentialsSignin} to
   * give a `code` to the sign-in page. Ten seconds at most.
   */
  readonly authorize: (
    credentials: Readonly<Partial<Record<string, unknown>>>,
    request: Request,
  ) => Awaitable<AuthorizedUser | null>
}

/** Sign-in with a user name and password, or any other fields of a form. */
export interface CredentialsConfig extends CredentialsUserConfig {
  readonly id: string
  readonly name: string
  readonly type: 'credentials'
  readonly kind?: SignInKind
  readonly credentials: Readonly<Record<string, CredentialInput>>
}
