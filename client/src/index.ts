import { type Client, type ClientOptions, openClient } from './store.js'

export type { Session } from '@latchkey/session'
export { AuthError } from '@latchkey/session'
export type {
  AuthorizationParams,
  AuthResult,
  SignIn,
  SignInOptions,
  SignOut,
  SignOutOptions,
} from './flow.js'
export type { Client, ClientOptions, SessionState, UpdateOptions } from './store.js'

/**
 * The session of a page of the app's own origin, in step with every tab of the browser. On a server
 * it asks nothing.
 *
 * @throws {AuthError} when `basePath` is not a path
 * @example
 * const client = createClient()
 * client.subscribe(() => show(client.get().data?.user?.name))
 */
export const createClient: (options?: ClientOptions) => Client = openClient
