import { type HostConfigOf, inProcess } from '@latchkey/host'
import type { AuthConfig } from '@latchkey/worker'
import { type WebAuth, webAuthOver } from './web-auth.js'

export * from './exports.js'

/** The configuration of the auth service without `raw`, or with `worker` instead of `providers`. */
export type WebAuthConfig = HostConfigOf<AuthConfig>

const rethrow = (error: unknown) => Promise.reject(error)

/** By a name that no bundler follows, since a Worker has no such store. */
const loadStore = (kind: string) => import(/* @vite-ignore */ `@latchkey/worker/stores/${kind}`)

/** With `catch` a Worker that forwards can be bundled without the package. */
const service = inProcess(async () => {
  const { createAuth } = await import('@latchkey/worker').catch(rethrow)
  const { memoryStore } = await import('@latchkey/worker/stores/memory').catch(rethrow)
  return { createAuth, memoryStore, loadStore }
})

/**
 * Sign-in for a framework of standard requests. `handle` answers the auth routes, by the app itself
 * when the config has `providers`, and otherwise by the Worker that `worker` or `AUTH_WORKER_URL`
 * names. A function makes the config of each request.
 *
 * @throws {AuthError | SecretError} at once for a configuration that cannot be used; on Workers, and
 *   for a function, its mistakes are logged at the first request for an auth route, which gets 500
 * @example
 * const { handle } = webAuth({ providers: [github()] })
 * const answer = await handle(request, async (auth) => new Response((await auth())?.user?.name))
 */
export function webAuth(
  config: WebAuthConfig | ((request: Request) => WebAuthConfig | Promise<WebAuthConfig>),
): WebAuth {
  return webAuthOver(config, { service })
}
