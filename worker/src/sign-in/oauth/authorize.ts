import { generateRandomCodeVerifier } from 'oauth4webapi'
import type { RedirectProvider } from '../../config/providers.js'
import type { SafeRedirect } from '../../config/safe-redirect.js'
import type { AuthRequest } from '../../http/request.js'
import { randomToken } from '../../lib/random.js'
import { startFlow } from '../flow-cookie.js'
import { addParameters, authorizationUrl } from './authorization-url.js'
import { connect } from './connection.js'

/**
 * Starts a sign-in: keeps the flow in its cookie. Parameters of the request, such as `login_hint`,
 * go along to the provider.
 *
 * @param callbackUrl where the person goes afterwards
 * @returns where the browser goes
 * @throws {OAuthCallbackError} when the provider's endpoints cannot be found out
 */
export async function authorize(
  request: AuthRequest,
  provider: RedirectProvider,
  callbackUrl: SafeRedirect,
): Promise<URL> {
  const redirectUri = redirectUriOf(request, provider)
  const codeVerifier = generateRandomCodeVerifier()
  const flow = { provider: provider.id, codeVerifier, callbackUrl }
  if ('middleware' in provider) {
    const { url, ...carried } = await provider.driver.start(provider, redirectUri)
    const { state } = await startFlow(request, { ...flow, carried })
    addParameters(url, request.query)
    url.searchParams.set('state', state)
    return url
  }
  const connection = await connect(provider, request.config.now())
  const nonce = provider.type === 'oidc' ? { nonce: randomToken(32) } : {}
  const started = await startFlow(request, { ...flow, ...nonce })
  return authorizationUrl(connection, redirectUri, started, request.query)
}

/** The address that is registered with a provider. */
export function redirectUriOf(
  { issuer }: AuthRequest,
  { id }: Pick<RedirectProvider, 'id'>,
): string {
  return `${issuer}/callback/${id}`
}
