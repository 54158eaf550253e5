import { WorkerEntrypoint } from 'cloudflare:workers'
import { textOf } from '@latchkey/session/internal'
import { providersOf } from './config/presets.js'
import { createService } from './service/create-service.js'
import { hardened } from './service/hardened.js'
import type {
  AccessToken,
  AuthConfig,
  Environment,
  ExportedPerson,
  ListedWay,
  OfProvider,
  WhoseSessions,
} from './types.js'

export { Ledger } from './ledger.js'

/** One config for each `env`, which is the same object for the life of an isolate. */
const configs = new WeakMap<Environment, AuthConfig>()

/** The service configured by environment variables alone. */
function configFromEnvironment(env: Environment): AuthConfig {
  const known = configs.get(env)
  if (known) return known
  // `AUTH_URL` may contain its own base path.
  const path = URL.parse(textOf(env, 'AUTH_URL') ?? '')?.pathname.replace(/\/+$/, '')
  const config = { providers: providersOf(env), basePath: path || '/auth' }
  configs.set(env, config)
  return config
}

const auth = createService<Environment>(configFromEnvironment)

/**
 * The methods that other Workers of the account may call through a service binding with `entrypoint
 * = "AuthService"`. No route leads here, so no browser can call them.
 */
export class AuthService extends WorkerEntrypoint<Environment> {
  /** See `getAccessToken` of `AuthHandler`. */
  getAccessToken(request: Request, of?: OfProvider): Promise<AccessToken> {
    return auth.getAccessToken(request, this.env, this.ctx, of)
  }

  /** See `getAccessTokenOf` of `AuthHandler`. */
  getAccessTokenOf(sub: string, provider: string): Promise<AccessToken> {
    return auth.getAccessTokenOf(sub, provider, this.env, this.ctx)
  }

  /** See `disconnect` of `AuthHandler`. */
  disconnect(sub: string, provider: string): Promise<void> {
    return auth.disconnect(sub, provider, this.env, this.ctx)
  }

  /** See `endSessions` of `AuthHandler`. */
  endSessions(whose: WhoseSessions): Promise<void> {
    return auth.endSessions(whose, this.env, this.ctx)
  }

  /** See `listWays` of `AuthHandler`. */
  listWays(sub: string): Promise<readonly ListedWay[]> {
    return auth.listWays(sub, this.env, this.ctx)
  }

  /** See `deletePerson` of `AuthHandler`. */
  deletePerson(sub: string): Promise<void> {
    return auth.deletePerson(sub, this.env, this.ctx)
  }

  /** See `resetFactors` of `AuthHandler`. */
  resetFactors(sub: string): Promise<void> {
    return auth.resetFactors(sub, this.env, this.ctx)
  }

  /** See `exportPerson` of `AuthHandler`. */
  exportPerson(sub: string): Promise<ExportedPerson | null> {
    return auth.exportPerson(sub, this.env, this.ctx)
  }
}

/** The address of a request is in one spelling; its own parser would take a tenth of a session's read. */
const IS_ROOT = /^https?:\/\/[^/]+\/(?:[?#]|$)/

// Only `fetch`, since a service binding can call every function of this object.
export default {
  fetch(request: Request, env: Environment, ctx: ExecutionContext): Promise<Response> | Response {
    // A Worker with a domain of its own has no other page at its root.
    if (IS_ROOT.test(request.url)) {
      const { basePath = '/auth' } = configFromEnvironment(env)
      const location = `${basePath}/signin`
      const answer = new Response(null, { status: 302, headers: { location } })
      return hardened(answer, request.url.startsWith('https:'))
    }
    return auth.fetch(request, env, ctx)
  },
}
