import { generateRandomCodeVerifier } from 'oauth4webapi'
import type { RedirectProvider } from '../config/providers.js'
import type { SafeRedirect } from '../config/safe-redirect.js'
import type { RequestScope } from '../http/scope.js'
import { randomToken } from '../random.js'
import { addParameters, authorizationUrl } from './authorization-url.js'
import { connect } from './connection.js'
import { startFlow } from './flow-cookie.js'

/** What a sign-in is started with. */
export interface Start {
  readonly cookieHeader: string | null
  /** Where the person goes afterwards. */
  readonly callbackUrl: SafeRedirect
  /** Parameters that the caller of the route adds, such as `login_hint`. */
  readonly extra: URLSearchParams
}

/**
 * Starts a sign-in: keeps the flow in its cookie.
 *
 * @returns where the browser goes
 * @throws {OAuthCallbackError} when the provider's endpoints cannot be found out
 */
export async function authorize(
  scope: RequestScope,
  provider: RedirectProvider,
  { cookieHeader, callbackUrl, extra }: Start,
): Promise<URL> {
  const redirectUri = redirectUriOf(scope, provider)
  const codeVerifier = generateRandomCodeVerifier()
  const flow = { provider: provider.id, codeVerifier, callbackUrl }
  if ('middleware' in provider) {
    const { url, ...carried } = await provider.driver.start(provider, redirectUri)
    const { state } = await startFlow(scope, cookieHeader, { ...flow, carried })
    addParameters(url, extra)
    url.searchParams.set('state', state)
    return url
  }
  const connection = await connect(provider, scope.config.now())
  const nonce = provider.type === 'oidc' ? { nonce: randomToken(32) } : {}
  const started = await startFlow(scope, cookieHeader, { ...flow, ...nonce })
  return authorizationUrl(connection, redirectUri, started, extra)
}

/** The address that is registered with a provider. */
export function redirectUriOf(
  { issuer }: RequestScope,
  { id }: Pick<RedirectProvider, 'id'>,
): string {
  return `${issuer}/callback/${id}`
}
