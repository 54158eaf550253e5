import { generateRandomCodeVerifier } from 'oauth4webapi'
import type { SafeRedirect } from '../../config/safe-redirect.js'
import { InvalidCheck } from '../../errors.js'
import type { Outcome } from '../../http/outcome.js'
import type { AuthRequest } from '../../http/request.js'
import { keepTarget } from '../../http/targets.js'
import { randomToken } from '../../lib/random.js'
import { askingProvider } from '../asking-provider.js'
import { startFlow } from '../flow-cookie.js'
import { acceptResponse, comeBack, goToProvider } from '../redirect-flow.js'
import { redirectUriOf, sentState } from '../redirect-uri.js'
import { authorizationUrl, type OAuthFlow } from './authorization-url.js'
import { connect } from './connection.js'
import { exchange } from './exchange.js'
import type { ResolvedOAuthProvider } from './resolve.js'

/**
 * Sends the browser to the provider, and stores the flow in its cookie. Parameters of the request,
 * such as `login_hint`, are passed on.
 *
 * @throws {OAuthCallbackError} when the provider's endpoints cannot be found
 */
export async function start(
  request: AuthRequest,
  provider: ResolvedOAuthProvider,
  target: SafeRedirect,
): Promise<Outcome> {
  const ask = () => connect(provider, request.config.now())
  return askingProvider(request, 'start', target, ask, async (connection) => {
    const codeVerifier = generateRandomCodeVerifier()
    const nonce = provider.type === 'oidc' ? { nonce: randomToken(32) } : {}
    const storedTarget = keepTarget(request, target)
    const start = { provider: provider.id, codeVerifier, ...storedTarget, ...nonce }
    const flow = await startFlow(request, start)
    const redirectUri = redirectUriOf(request, provider)
    const sent = { ...flow, state: await sentState(request, flow) }
    const url = await authorizationUrl(connection, redirectUri, sent, request.query)
    return goToProvider(request, provider, url)
  })
}

/**
 * Finishes a started sign-in, once.
 *
 * @throws {OAuthCallbackError} @throws {InvalidCheck} @throws {StoreUnavailable}
 */
export function finish(request: AuthRequest, provider: ResolvedOAuthProvider): Promise<Outcome> {
  return comeBack<OAuthFlow>(request, provider, async (flow, response, inTime) => {
    if (!flow.codeVerifier) throw new InvalidCheck('The sign-in was started in another way.')
    const connection = await connect(provider, request.config.now(), inTime)
    const hasIssuer = provider.issuer !== undefined && !provider.issuerOf
    const { server } = connection
    return acceptResponse(request, provider, server, hasIssuer, flow, response, (checked) =>
      exchange(connection, redirectUriOf(request, provider), flow, checked),
    )
  })
}
