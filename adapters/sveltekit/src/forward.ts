import type { RequestEvent } from '@sveltejs/kit'
import { type ComponentKitAuthHandlers, kitAuth } from './kit-auth.js'
import type { ForwardedConfig } from './types.js'

export type { AuthResult } from '@latchkey/client/internal'
export { customFetch, type RequireTokenOptions } from '@latchkey/host'
export type { AccessToken, DefaultSession, Session, User } from '@latchkey/session'
export { AuthError, CredentialsSignin, WorkerUnavailable } from '@latchkey/session'
export type { Account, Profile } from '@latchkey/worker'
export type { ComponentKitAuthHandlers } from './kit-auth.js'
export { requireToken } from './require-token.js'
export type { ForwardedConfig, KitEvent } from './types.js'

/** The configuration of an app whose auth routes a Worker answers. */
export type ComponentKitAuthConfig = ForwardedConfig

/** A configuration, or a function that makes one from a request's own event, once for each request. */
export type ConfigSource =
  | ForwardedConfig
  | ((event: RequestEvent) => ForwardedConfig | Promise<ForwardedConfig>)

/**
 * As `ComponentKitAuth` of `@latchkey/sveltekit`, for an app that forwards to the Worker that `worker` or
 * `AUTH_WORKER_URL` names: the bundle has no code of the auth service.
 *
 * @throws {AuthError} at once, when `basePath` is not a path, and for a configuration with `providers`. The answer of a function
 *   returns is looked at when it is called
 * @example
 * export const { handle, signIn, signOut } = ComponentKitAuth(({ platform }) => ({ worker: platform.env.AUTH }))
 */
export function ComponentKitAuth(config: ConfigSource): ComponentKitAuthHandlers {
  return kitAuth(config, { wholeEntry: '@latchkey/sveltekit' })
}
