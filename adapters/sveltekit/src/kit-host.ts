import type { Host } from '@latchkey/host'
import type { ConfigSource } from './types.js'

/** The sign-in of the app's hook. */
interface KitHost {
  readonly host: Host
  readonly config: ConfigSource
}

let newest: KitHost | undefined

/** Keeps the hook's sign-in for endpoints that take access tokens. While an app is developed, the hook is made again. */
export function keepHost(host: Host, config: ConfigSource): void {
  newest = { host, config }
}

/** The sign-in of the hook that was made last. */
export function keptHost(): KitHost | undefined {
  return newest
}
