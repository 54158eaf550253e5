import { invalidateAll } from '$app/navigation'
import { page } from '$app/state'
import {
  type AuthorizationParams,
  type AuthResult,
  createClient,
  type SignInOptions,
  type SignOutOptions,
} from './client-flow.js'
import { appPath } from './client-paths.js'
import { joinTabs } from './client-tabs.js'

export { AuthError } from '@latchkey/session'
export type {
  AuthorizationParams,
  AuthResult,
  SignInOptions,
  SignOutOptions,
} from './client-flow.js'

let announce = () => {}

const client = createClient({
  fetch: (input, init) => fetch(input, init),
  get location() {
    return location
  },
  root: () => new URL(appPath(''), location.origin),
  refresh: invalidateAll,
  announce: () => announce(),
})

// The module is loaded on the server too, where there is nothing to listen to.
if (typeof document !== 'undefined') {
  announce = joinTabs({
    channel: new BroadcastChannel('latchkey'),
    document,
    window,
    shown: () => page.data.session,
    current: () => client.session(),
    refresh: invalidateAll,
  })
}

/**
 * Signs in from the browser, without a form action. A provider of the type `credentials` gets the
 * fields in `options`; any other opens its own page. Without a provider, or with one that does not
 * exist, the sign-in page opens.
 *
 * The promise resolves to `undefined` when the browser is on its way to another page, errors of a
 * sign-in included: they are shown on the sign-in page. With `redirect: false` nothing opens, and it
 * resolves to what happened; after a sign-in the page's data is read again.
 *
 * @throws {AuthError} when the auth service cannot be reached, or `basePath` is no path
 * @example
 * const result = await signIn('credentials', { username, password, redirect: false })
 * if (result.error) message = 'That is not right.'
 */
export function signIn(
  providerId: string | undefined,
  options: SignInOptions & { readonly redirect: false },
  authorizationParams?: AuthorizationParams,
): Promise<AuthResult>
export function signIn(
  providerId?: string,
  options?: SignInOptions,
  authorizationParams?: AuthorizationParams,
): Promise<AuthResult | undefined>
export function signIn(
  providerId?: string,
  options?: SignInOptions,
  authorizationParams?: AuthorizationParams,
): Promise<AuthResult | undefined> {
  return client.signIn(providerId, options, authorizationParams)
}

/**
 * Ends the session, here and in the other tabs of this browser. With `redirect: false` the page
 * stays, its data is read again, and the promise resolves to what happened.
 *
 * @throws {AuthError} when the auth service cannot be reached, or `basePath` is no path
 * @example await signOut({ redirectTo: '/' })
 */
export function signOut(options: SignOutOptions & { readonly redirect: false }): Promise<AuthResult>
export function signOut(options?: SignOutOptions): Promise<AuthResult | undefined>
export function signOut(options?: SignOutOptions): Promise<AuthResult | undefined> {
  return client.signOut(options)
}
