import { invalidateAll } from '$app/navigation'
import { page } from '$app/state'
import {
  type AuthorizationParams,
  type AuthResult,
  createClient,
  type SignInOptions,
  type SignOutOptions,
} from './client-flow.js'
import { resolve } from './client-paths.js'
import { joinTabs } from './client-tabs.js'

export { AuthError } from '@latchkey/session'
export type {
  AuthorizationParams,
  AuthResult,
  SignInOptions,
  SignOutOptions,
} from './client-flow.js'

interface SignIn {
  (
    providerId: string | undefined,
    options: SignInOptions & { readonly redirect: false },
    authorizationParams?: AuthorizationParams,
  ): Promise<AuthResult>
  (
    providerId?: string,
    options?: SignInOptions,
    authorizationParams?: AuthorizationParams,
  ): Promise<AuthResult | undefined>
}

interface SignOut {
  (options: SignOutOptions & { readonly redirect: false }): Promise<AuthResult>
  (options?: SignOutOptions): Promise<AuthResult | undefined>
}

// The module is loaded on the server too, which has no tabs.
const channel = typeof document === 'undefined' ? undefined : new BroadcastChannel('latchkey')
const client = createClient(globalThis, resolve, invalidateAll, () => channel?.postMessage(''))
if (channel) joinTabs(channel, window, () => page.data.session, client.session, invalidateAll)

/**
 * Signs in from the browser, without a form action. A provider of the type `credentials` gets the
 * fields in `options`; any other opens its own page. Without a provider, or with one that does not
 * exist, the sign-in page opens.
 *
 * The promise resolves to `undefined` when the browser navigates to another page, also after an
 * error, which the sign-in page shows. With `redirect: false` the browser stays, and the promise
 * resolves to the outcome; after a sign-in the page's data is read again.
 *
 * @throws {AuthError} when the auth service cannot be reached, or `basePath` is not a path
 * @example
 * const result = await signIn('credentials', { username, password, redirect: false })
 * if (result.error) message = 'That is not right.'
 */
export const signIn = client.signIn as SignIn

/**
 * Ends the session, here and in the other tabs of this browser. With `redirect: false` the page
 * stays, its data is read again, and the promise resolves to the outcome.
 *
 * @throws {AuthError} when the auth service cannot be reached, or `basePath` is not a path
 * @example await signOut({ redirectTo: '/' })
 */
export const signOut = client.signOut as SignOut
