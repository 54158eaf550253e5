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

type FieldValue = string | number | boolean | null | undefined
type Fields = readonly (readonly [name: string, value: string])[]

/** The hidden fields of a sign-in form. */
export function signInFields(
  provider: FormProvider | undefined,
  options: FormOptions = {},
  authorizationParams: Readonly<Record<string, FieldValue>> = {},
): Fields {
  const id = typeof provider === 'object' ? provider.id : provider
  const params = Object.entries(authorizationParams).map(
    ([name, value]) => [`authorizationParams-${name}`, value] as const,
  )
  // The service refuses a field that is there twice.
  return textFields({ ...options, ...Object.fromEntries(params), providerId: id || undefined })
}

/** The hidden fields of a sign-out form. */
export function signOutFields(options: FormOptions = {}): Fields {
  return textFields(options)
}

/** What kind of fields a provider takes, as far as the form can know. */
export function typeOf(provider: FormProvider | undefined): string | undefined {
  if (typeof provider === 'object' && provider.type !== undefined) return provider.type
  const id = typeof provider === 'object' ? provider.id : provider
  // The ids that these two providers have unless an app names them otherwise.
  return id === 'credentials' || id === 'email' ? id : undefined
}

/** What the button says when the app does not. */
export function signInLabel(provider: FormProvider | undefined): string {
  const { id, name } = typeof provider === 'object' ? provider : { id: provider, name: undefined }
  const shown = name ?? (typeOf(provider) === 'credentials' ? undefined : id)
  return shown ? `Sign in with ${shown}` : 'Sign in'
}

function textFields(fields: Readonly<Record<string, FieldValue>>): Fields {
  return Object.entries(fields).flatMap(([name, value]) => {
    // A form that redirects says nothing of it, as it is what form actions do.
    const isSaid = value !== undefined && value !== null && !(name === 'redirect' && value === true)
    return isSaid ? [[name, String(value)] as const] : []
  })
}
