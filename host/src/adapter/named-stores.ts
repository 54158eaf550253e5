import { AuthError } from '@latchkey/session'
import { bindingOf, type Environment } from '../shared/environment.js'
import {
  type LoadStore,
  type NamedStore,
  namedStoreIn,
  openNamedStore,
  type ServiceStore,
} from '../shared/named-store.js'
import type { HostConfig } from './host-config.js'
import { logErrorOf } from './log-error.js'

/** A configuration with its environment, which may name a store. */
interface Naming {
  readonly config: HostConfig
  readonly env: Environment
}

/** The stores of `AUTH_STORE` that are open, by its value. Only processes of Node have any. */
export type OpenStores = Map<string, Promise<ServiceStore>>

export const newStores = (): OpenStores => new Map()

/**
 * Opens the store of `AUTH_STORE`, if that decides. All configurations of a process share it.
 *
 * @param load the service's package, which opens stores
 */
export function openNamed(
  { config, env }: Naming,
  opened: OpenStores,
  load: () => Promise<{ readonly loadStore: LoadStore }>,
): Promise<ServiceStore> | undefined {
  const named = namedStoreOf(config, env)
  if (!named) return undefined
  const name = JSON.stringify(named)
  const known = opened.get(name)
  if (known) return known
  const opening = load().then(async ({ loadStore }) => {
    const store = await openNamedStore(named, loadStore)
    // Not awaited: what needs it meanwhile is answered with 503.
    store.ready().catch((error: Error) => logErrorOf(config)(unreachable(error)))
    return store
  })
  opened.set(name, opening)
  opening.catch(() => opened.delete(name))
  return opening
}

function unreachable({ message }: Error): AuthError {
  return new AuthError(
    `AUTH_STORE names a store that cannot be used now. ${message} Until it can be, what needs it is answered with 503.`,
  )
}

/**
 * The store that is named by `AUTH_STORE`: the configuration's own comes first, and a Worker has its bindings.
 *
 * @throws {InvalidConfiguration} without the value, in which there may be a password
 */
export function namedStoreOf({ store }: HostConfig, env: Environment): NamedStore | undefined {
  return store || hasBindings(env) ? undefined : namedStoreIn(env)
}

/** The store of a Worker: one of its two bindings is enough, so that the service names the other. */
export function hasBindings(env: Environment): boolean {
  const sessions = bindingOf<{ get: unknown }>(env, 'SESSIONS', 'get')
  return Boolean(sessions ?? bindingOf<{ idFromName: unknown }>(env, 'LEDGER', 'idFromName'))
}
