import type { AuthRequest, Kind, TokenClient } from '../../http/request.js'
import { buttonForm } from '../../pages/provider-forms.js'
import { type ResolvedOAuthProvider, resolveOAuth } from './resolve.js'

/** OAuth 2.0 and OpenID Connect. What talks to providers is loaded when somebody signs in. */
export const oauth: Kind<ResolvedOAuthProvider> = {
  isGuessable: false,
  resolve: (config, env) => resolveOAuth(oauth, config, env),
  form: buttonForm,
  async start(request, provider, _fields, target) {
    const { start } = await import('./flow.js')
    return start(request, provider, target)
  },
  finish: { GET: finish, POST: finish },
  tokens: (provider) => ({
    revokeOnSignOut: provider.revokeOnSignOut,
    connect: (now) => tokenClient(provider, now),
  }),
}

async function finish(request: AuthRequest, provider: ResolvedOAuthProvider) {
  const flow = await import('./flow.js')
  return flow.finish(request, provider)
}

async function tokenClient(provider: ResolvedOAuthProvider, now: number): Promise<TokenClient> {
  const [{ connect }, { refreshTokens, revokeTokens }] = await Promise.all([
    import('./connection.js'),
    import('./refresh.js'),
  ])
  const connection = await connect(provider, now)
  return {
    refresh: (refreshToken) => refreshTokens(connection, refreshToken),
    revoke: (tokens) => revokeTokens(connection, tokens),
  }
}
