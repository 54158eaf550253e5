import type { ForwardedConfigOf } from '@latchkey/host'
import type { AuthConfig } from '@latchkey/worker'
import { type WebAuth, webAuthOver } from './web-auth.js'

export * from './exports.js'

/** The configuration of an app whose auth routes a Worker answers. */
export type WebAuthConfig = ForwardedConfigOf<AuthConfig>

/**
 * As `webAuth` of `@latchkey/web`, for an app that forwards to the Worker that `worker` or
 * `AUTH_WORKER_URL` names: the bundle has no code of the auth service.
 *
 * @throws {AuthError | SecretError} at once for a configuration that cannot be used, and for one with
 *   `providers`; on Workers, and for a function, at the first request
 * @example const { handle } = webAuth({ worker: 'https://auth.example.com/auth' })
 */
export function webAuth(
  config: WebAuthConfig | ((request: Request) => WebAuthConfig | Promise<WebAuthConfig>),
): WebAuth {
  return webAuthOver(config, { wholeEntry: '@latchkey/web' })
}
