import { inProcess } from '@latchkey/host'
import { type ComponentKitAuthHandlers, kitAuth } from './kit-auth.js'
import type { ConfigSource } from './types.js'

/**
 * Sign-in for a SvelteKit app. The hook serves the auth routes below `/auth`, from this process when the
 * config has `providers` and otherwise from the Worker that `worker` or `AUTH_WORKER_URL` names, and
 * adds `event.locals.auth()`. A function makes the config from each request's own event, once.
 *
 * @throws {AuthError} at once, when `providers` and `worker` are both given or `basePath` is not a
 * path
 *
 * @example
 * export const { handle, signIn, signOut } = ComponentKitAuth({ providers: [github()] })
 */
export function ComponentKitAuth(config: ConfigSource): ComponentKitAuthHandlers {
  return kitAuth(config, { service: inProcess(loadService) })
}

async function loadService() {
  const { createAuth } = await import('@latchkey/worker')
  const { memoryStore } = await import('@latchkey/worker/stores/memory')
  return { createAuth, memoryStore, loadStore }
}

/** By a name that no bundler follows, since a Worker has no such store. */
const loadStore = (kind: string) => import(/* @vite-ignore */ `@latchkey/worker/stores/${kind}`)
