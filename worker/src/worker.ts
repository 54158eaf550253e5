// First, so that no packed text stands between two parts of the code: gzip looks back 32 kB, and would forget the first one.
import './languages/all.js'

import { WorkerEntrypoint } from 'cloudflare:workers'
import { textOf } from '@latchkey/host/shared'
import { SHIPPED } from './features/shipped.js'
import { providersOf } from './presets/presets.js'
import { createService } from './service/create-service.js'
import { OPERATIONS } from './service/operations.js'
import { withSecurityHeaders } from './service/security-headers.js'
import type { AccessToken, AuthConfig, Environment, OfProvider, Operations } from './types.js'

export { Ledger } from './features/operate/ledger.js'

/** One config for each `env`, which is the same object for the life of an isolate. */
const configs = new WeakMap<Environment, AuthConfig>()

/** The service configured by environment variables alone. */
function configFromEnvironment(env: Environment): AuthConfig {
  const known = configs.get(env)
  if (known) return known
  const config = { providers: providersOf(env), basePath: basePathOf(env) }
  configs.set(env, config)
  return config
}

/** `AUTH_URL` may contain its own base path. */
function basePathOf(env: Environment): string {
  return URL.parse(textOf(env, 'AUTH_URL') ?? '')?.pathname.replace(/\/+$/, '') || '/auth'
}

const auth = createService<Environment>(configFromEnvironment, undefined, undefined, SHIPPED)

/** What `WorkerEntrypoint` makes, with the methods that are added below. */
type Entrypoint = new (
  ctx: ExecutionContext,
  env: Environment,
) => WorkerEntrypoint<Environment> & Operations

/**
 * The methods that other Workers of the account may call through a service binding with `entrypoint
 * = "AuthService"`. No route leads here, so no browser can call them.
 */
export class AuthService extends (WorkerEntrypoint as Entrypoint) {
  /** See `getAccessToken` of `AuthHandler`. */
  getAccessToken(request: Request, of?: OfProvider): Promise<AccessToken> {
    return auth.getAccessToken(request, this.env, this.ctx, of)
  }
}

for (const [name, { takes }] of Object.entries(OPERATIONS)) {
  const method = auth[name as keyof Operations] as (...args: unknown[]) => unknown
  Object.defineProperty(AuthService.prototype, name, {
    value(this: { readonly env: Environment; readonly ctx: ExecutionContext }, ...args: unknown[]) {
      // Another Worker may leave arguments out, or add some.
      return method(...takes.map((_, at) => args[at]), this.env, this.ctx)
    },
  })
}

/** The address of a request is in one spelling; its own parser would take a tenth of a session's read. */
const IS_ROOT = /^https?:\/\/[^/]+\/(?:[?#]|$)/

// Only `fetch`, since a service binding can call every function of this object.
export default {
  fetch(request: Request, env: Environment, ctx: ExecutionContext): Promise<Response> | Response {
    // A Worker with a domain of its own has no other page at its root.
    if (IS_ROOT.test(request.url)) {
      const location = `${basePathOf(env)}/signin`
      const answer = new Response(null, { status: 302, headers: { location } })
      return withSecurityHeaders(answer, request.url.startsWith('https:'))
    }
    return auth.fetch(request, env, ctx)
  },
}
