import { createAuth } from './auth.js'
import { text } from './config/environment.js'
import videoapp from './providers/videoapp.js'
import type { AuthConfig, Environment, Provider } from './types.js'

export { Ledger } from './ledger.js'

/** One config for each `env`, which is the same object for the life of an isolate. */
const configs = new WeakMap<Environment, AuthConfig>()

/** The service configured by environment variables alone: a provider is on when its id is set. */
function configFromEnvironment(env: Environment): AuthConfig {
  const known = configs.get(env)
  if (known) return known
  const providers: Provider[] = text(env, 'AUTH_VIDEO_ID') === undefined ? [] : [videoapp()]
  // `AUTH_URL` may bring its own base path.
  const path = URL.parse(text(env, 'AUTH_URL') ?? '')?.pathname.replace(/\/+$/, '')
  const config = { providers, basePath: path || '/auth' }
  configs.set(env, config)
  return config
}

const auth = createAuth<Environment>(configFromEnvironment)

export default {
  ...auth,
  fetch(request: Request, env: Environment, ctx: ExecutionContext): Promise<Response> | Response {
    // A Worker with a domain of its own has nothing else to show at its root.
    if (new URL(request.url).pathname === '/') {
      const { basePath = '/auth' } = configFromEnvironment(env)
      return new Response(null, { status: 302, headers: { location: `${basePath}/signin` } })
    }
    return auth.fetch(request, env, ctx)
  },
}
