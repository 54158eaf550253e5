import type { Snippet } from 'svelte'
import type { HTMLFormAttributes } from 'svelte/elements'
import type { AuthorizationParams } from '../client-flow.js'

/** A provider's id, or what GET `/providers` says of it. */
export type FormProvider =
  | string
  | {
      readonly id: string
      /** Stands on the button. */
      readonly name?: string | undefined
      /** `oauth`, `oidc`, `email` or `credentials`: decides which fields the form shows. */
      readonly type?: string | undefined
    }

/** What a form sends along: where to go, and any fields of the provider's own. */
export interface FormOptions {
  /** Where to go afterwards: a path of the app, or a URL that the service trusts. */
  readonly redirectTo?: string | undefined
  /** `false`: the form action returns the outcome instead of redirecting. */
  readonly redirect?: boolean | undefined
  readonly [field: string]: FieldValue
}

export type FieldValue = string | number | boolean | null | undefined

export interface SignInProps extends Omit<HTMLFormAttributes, 'action' | 'children' | 'method'> {
  /** A provider's id, or what GET `/providers` says of it; without it, the sign-in page follows. */
  provider?: FormProvider | undefined
  /** The route whose default form action is `signIn`. */
  signInPage?: string
  options?: FormOptions | undefined
  /** Sent to the provider's authorization endpoint. */
  authorizationParams?: AuthorizationParams | undefined
  className?: string | undefined
  submitButton?: Snippet | undefined
  /** The fields of a provider of the type `credentials`. */
  credentials?: Snippet | undefined
  /** The fields of a provider of the type `email`: an e-mail address, unless given. */
  email?: Snippet | undefined
}

export interface SignOutProps extends Omit<HTMLFormAttributes, 'action' | 'children' | 'method'> {
  /** The route whose default form action is `signOut`. */
  signOutPage?: string
  options?: FormOptions | undefined
  className?: string | undefined
  submitButton?: Snippet | undefined
}
