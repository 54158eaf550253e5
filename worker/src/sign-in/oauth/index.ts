import { generateRandomCodeVerifier } from 'oauth4webapi'
import { InvalidCheck } from '../../errors.js'
import type { Kind, TokenClient } from '../../http/kind.js'
import type { Outcome } from '../../http/outcome.js'
import type { Purpose } from '../../http/purpose.js'
import type { AuthRequest } from '../../http/request.js'
import { keepTarget } from '../../http/targets.js'
import { randomToken } from '../../lib/base64url.js'
import { buttonForm } from '../../pages/provider-forms.js'
import { accountId } from '../../person/subject.js'
import { askingProvider } from '../asking-provider.js'
import { startFlow } from '../flow-cookie.js'
import { acceptResponse, comeBack, goToProvider, viaOf } from '../redirect-flow.js'
import { authorizationUrl, type OAuthFlow } from './authorization-url.js'
import { connect } from './connection.js'
import { exchange } from './exchange.js'
import type { OpenId } from './openid.js'
import { refreshTokens, revokeTokens } from './refresh.js'
import { type ResolvedOAuthProvider, resolveOAuth } from './resolve.js'

/** Sign-in by OAuth 2.0 alone: providers with endpoints that are configured, which send no ID token. */
export const oauth = oauthKind()

/** @param openId left out: discovery and ID tokens are unknown */
export function oauthKind(openId?: OpenId): Kind<ResolvedOAuthProvider> {
  return {
    isGuessable: false,
    isAddable: true,
    resolve(config, env) {
      return resolveOAuth(this, config, env, openId)
    },
    form: buttonForm,
    start: (request, provider, _fields, purpose) => start(request, provider, purpose),
    finish: { GET: finish, POST: finish },
    accountOf(_provider, account) {
      const id = accountId(account)
      return id === undefined ? undefined : { id }
    },
    tokens: (provider) => ({
      revokeOnSignOut: provider.revokeOnSignOut,
      scope: provider.scope,
      moreScopes: provider.moreScopes,
      scopeSeparator: provider.scopeSeparator,
      connect: (now) => tokenClient(provider, now),
    }),
  }
}

async function tokenClient(provider: ResolvedOAuthProvider, now: number): Promise<TokenClient> {
  const connection = await connect(provider, now)
  return {
    refresh: (refreshToken) => refreshTokens(connection, refreshToken),
    revoke: (tokens) => revokeTokens(connection, tokens),
  }
}

/**
 * Sends the browser to the provider, and stores the flow in its cookie. Parameters of the request,
 * such as `login_hint`, are passed on.
 *
 * @throws {OAuthCallbackError} when the provider's endpoints cannot be found
 */
async function start(
  request: AuthRequest,
  provider: ResolvedOAuthProvider,
  purpose: Purpose,
): Promise<Outcome> {
  const ask = () => connect(provider, request.config.now())
  return askingProvider(request, 'start', purpose, ask, async (connection) => {
    const codeVerifier = generateRandomCodeVerifier()
    const nonce = provider.type === 'oidc' ? { nonce: randomToken(32) } : {}
    const storedTarget = keepTarget(request, purpose.target)
    const { bound } = provider
    const own = { ...nonce, ...(bound === undefined ? {} : { bound }) }
    const start = { provider: provider.id, codeVerifier, ...storedTarget, ...own }
    const flow = await startFlow(request, start, purpose)
    const via = viaOf(request, provider)
    const sent = { ...flow, state: await via.state(flow) }
    const asked = purpose.parameters ?? request.query
    const url = await authorizationUrl(connection, via.redirectUri, sent, asked)
    return goToProvider(request, provider, url)
  })
}

/**
 * Finishes a started sign-in, once.
 *
 * @throws {OAuthCallbackError} @throws {InvalidCheck} @throws {StoreUnavailable}
 */
function finish(request: AuthRequest, provider: ResolvedOAuthProvider): Promise<Outcome> {
  if (provider.config.addsFragment) request.hasFragment = true
  return comeBack<OAuthFlow>(request, provider, async (flow, response, redirectUri, inTime) => {
    if (!flow.codeVerifier) throw new InvalidCheck('The sign-in was started in another way.')
    if (flow.bound !== provider.bound) {
      throw new InvalidCheck('The sign-in was started for another client or issuer.')
    }
    const connection = await connect(provider, request.config.now(), inTime)
    const hasIssuer = provider.issuer !== undefined && !provider.issuerOf
    const { server } = connection
    return acceptResponse(request, provider, server, hasIssuer, flow, response, (checked) =>
      exchange(connection, redirectUri, flow, checked),
    )
  })
}
