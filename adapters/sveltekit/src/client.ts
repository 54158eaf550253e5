import { askBy, checkedPath, flowOf, type SignIn, type SignOut } from '@latchkey/client/internal'
import { invalidateAll } from '$app/navigation'
import { page } from '$app/state'
import { resolve } from './client-paths.js'
import { joinTabs } from './client-tabs.js'

export type {
  AuthorizationParams,
  AuthResult,
  SignInOptions,
  SignOutOptions,
} from '@latchkey/client/internal'
export { AuthError } from '@latchkey/session'

// The module is loaded on the server too, which has no tabs.
const channel = typeof document === 'undefined' ? undefined : new BroadcastChannel('latchkey')
const ask = askBy(globalThis, () => undefined)
/** The URL of the service at the base path of the last call. */
let url: string | undefined
function at(basePath = '/auth'): string {
  url = location.origin + resolve(checkedPath(basePath)).replace(/\/$/, '')
  return url
}
const flow = flowOf({ browser: globalThis, ask, at }, (leaves) => {
  channel?.postMessage('')
  return leaves || invalidateAll()
})

async function current(): Promise<unknown> {
  const { ok, data } = await ask(`${url ?? at()}/session`)
  return ok ? data : undefined
}

if (channel) joinTabs(channel, window, () => page.data.session, current, invalidateAll)

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
export const signIn: SignIn = flow.signIn

/**
 * Ends the session, here and in the other tabs of this browser. With `redirect: false` the page
 * stays, its data is read again, and the promise resolves to the outcome.
 *
 * @throws {AuthError} when the auth service cannot be reached, or `basePath` is not a path
 * @example await signOut({ redirectTo: '/' })
 */
export const signOut: SignOut = flow.signOut
