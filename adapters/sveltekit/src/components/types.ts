import type { AuthorizationParams } from '@latchkey/client/internal'
import type { Snippet } from 'svelte'
import type { HTMLFormAttributes } from 'svelte/elements'

/** A provider's id, or its entry in GET `/providers`. */
export type FormProvider =
  | string
  | {
      readonly id: string
      /** The name on the button. */
      readonly name?: string | undefined
      /** `oauth`, `oidc`, `email`, `credentials` or `webauthn`: decides which fields the form shows. */
      readonly type?: string | undefined
    }

/** Further fields of a form: the target, and the provider's own. */
export interface FormOptions {
  /** The target afterwards: a path of the app, or a URL that the service trusts. */
  readonly redirectTo?: string | undefined
  /** `false`: the form action returns the outcome instead of redirecting. */
  readonly redirect?: boolean | undefined
  readonly [field: string]: FieldValue
}

export type FieldValue = string | number | boolean | null | undefined

/** Properties of `<SignIn />`, beside those of a form. */
export interface SignInProps extends Omit<HTMLFormAttributes, 'action' | 'children' | 'method'> {
  /** A provider's id, or its entry in GET `/providers`; without it the sign-in page opens. */
  provider?: FormProvider | undefined
  /** Adds the provider to the ways of the signed-in user, instead of signing in. */
  link?: boolean | undefined
  /** The route whose default form action is `signIn`. */
  signInPage?: string
  options?: FormOptions | undefined
  /** Sent to the provider's authorization endpoint. */
  authorizationParams?: AuthorizationParams | undefined
  className?: string | undefined
  submitButton?: Snippet | undefined
  /** The fields of a provider of the type `credentials`. */
  credentials?: Snippet | undefined
  /** The fields of a provider of the type `email`; default: an email address. */
  email?: Snippet | undefined
}

/** Properties of `<SignOut />`, beside those of a form. */
export interface SignOutProps extends Omit<HTMLFormAttributes, 'action' | 'children' | 'method'> {
  /** The route whose default form action is `signOut`. */
  signOutPage?: string
  options?: FormOptions | undefined
  className?: string | undefined
  submitButton?: Snippet | undefined
}
