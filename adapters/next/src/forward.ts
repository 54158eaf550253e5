import { nextAuthOver } from './next-auth.js'
import type { ConfigSource, NextAuthResult, NextForwardedConfig } from './types.js'

export * from './exports.js'
export type { NextForwardedConfig as NextAuthConfig } from './types.js'

/**
 * As `NextAuth` of `@latchkey/next`, for an app that forwards to the Worker that `worker` or `AUTH_WORKER_URL`
 * names: the bundle has no code of the auth service.
 *
 * @example export const { handlers, auth } = NextAuth({ worker: 'https://auth.example.com/auth' })
 */
export default function NextAuth(config: ConfigSource<NextForwardedConfig>): NextAuthResult {
  return nextAuthOver(config, { wholeEntry: '@latchkey/next' })
}
