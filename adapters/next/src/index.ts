import { inProcess } from '@latchkey/host'
import { loadStore } from './load-store.js'
import { nextAuthOver } from './next-auth.js'
import type { ConfigSource, NextAuthResult } from './types.js'

export * from './exports.js'
export type { NextAuthConfig } from './types.js'

/** In a `try`, by which bundlers let the package be absent: an app that forwards does not install it. */
const service = inProcess(async () => {
  try {
    const { createAuth } = await import('@latchkey/worker')
    const { memoryStore } = await import('@latchkey/worker/stores/memory')
    return { createAuth, memoryStore, loadStore }
  } catch (error) {
    return Promise.reject(error)
  }
})

/**
 * Sign-in for a Next.js app. `handlers` answer the auth routes below `/api/auth`, by the app itself when the
 * config has `providers`, and otherwise by the Worker that `worker` or `AUTH_WORKER_URL` names. `auth()`
 * reads the session in components, actions, route handlers and the proxy, without a call while it is fresh.
 *
 * The first request names mistakes in the configuration: a build needs no variable.
 *
 * @example
 * export const { handlers, auth, signIn, signOut } = NextAuth({ providers: [github()] })
 */
export default function NextAuth(config: ConfigSource): NextAuthResult {
  return nextAuthOver(config, { service })
}
