import { type AuthorizationParams, queryOf } from '@latchkey/client/internal'
import { KNOWN_PROVIDERS } from './known-providers.js'
import type { FieldValue, FormOptions, FormProvider } from './types.js'

type Fields = readonly (readonly [name: string, value: string])[]

/** The hidden fields of a sign-in form. */
export function signInFields(
  provider: FormProvider | undefined,
  options: FormOptions = {},
  authorizationParams?: AuthorizationParams,
  link?: boolean,
): Fields {
  const id = typeof provider === 'object' ? provider.id : provider
  const params = [...queryOf(authorizationParams)].map(
    ([name, value]) => [`authorizationParams-${name}`, value] as const,
  )
  // The service refuses a duplicate field.
  const own = { providerId: id || undefined, link: link || undefined }
  return textFields({ ...options, ...Object.fromEntries(params), ...own })
}

/** The hidden fields of a sign-out form. */
export function signOutFields(options: FormOptions = {}): Fields {
  return textFields(options)
}

/** The kind of fields that a provider takes, as far as the form can know. */
export function typeOf(provider: FormProvider | undefined): string | undefined {
  if (typeof provider === 'object' && provider.type !== undefined) return provider.type
  const id = typeof provider === 'object' ? provider.id : provider
  // The default ids of these providers, and the only one of passkeys.
  if (id === 'passkey') return 'webauthn'
  return id === 'credentials' || id === 'email' || id === 'password' ? id : undefined
}

/** The button's default text. */
export function signInLabel(
  provider: FormProvider | undefined,
  link?: boolean,
  action?: FieldValue,
): string {
  const { id, name } = typeof provider === 'object' ? provider : { id: provider, name: undefined }
  if (typeOf(provider) === 'webauthn') {
    if (link) return 'Add a passkey'
    return action === 'register' ? 'Create an account with a passkey' : 'Sign in with a passkey'
  }
  const type = typeOf(provider)
  const known = knownAs(provider)
  const shown =
    name ?? known?.name ?? (type === 'credentials' || type === 'password' ? undefined : id)
  if (link) return shown ? `Connect ${shown}` : 'Connect'
  if (!shown) return 'Sign in'
  const isHere = type === 'credentials' || type === 'email' || known?.words === 'sign-in'
  return `${isHere ? 'Sign in with' : 'Continue with'} ${shown}`
}

/** The mark of a provider that has rules for it: a `data:` URL. */
export function markOf(provider: FormProvider | undefined): string | undefined {
  return knownAs(provider)?.logo
}

function knownAs(provider: FormProvider | undefined) {
  const id = typeof provider === 'object' ? provider.id : provider
  return id && Object.hasOwn(KNOWN_PROVIDERS, id) ? KNOWN_PROVIDERS[id] : undefined
}

function textFields(fields: Readonly<Record<string, FieldValue>>): Fields {
  return Object.entries(fields).flatMap(([name, value]) => {
    // Redirecting is the default of form actions, so the field is left out.
    const isSaid = value !== undefined && value !== null && !(name === 'redirect' && value === true)
    return isSaid ? [[name, String(value)] as const] : []
  })
}
