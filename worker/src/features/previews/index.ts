import type { Feature } from '../../service/feature.js'
import { relay } from './relay.js'
import { type RedirectProxy, resolveRedirectProxy } from './settings.js'

/**
 * Previews sign people in with the redirect URIs of another service, which passes the answers on. It is on with
 * `AUTH_REDIRECT_PROXY_URL` (docs/previews.md).
 */
export const previews: Feature<RedirectProxy> = {
  name: 'previews',
  configure: (_config, { env, basePath, secrets, now }) =>
    resolveRedirectProxy(env, basePath, secrets, now),
  ports: { relay },
}
