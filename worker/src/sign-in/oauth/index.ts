import type { Kind, TokenClient } from '../../http/request.js'
import { buttonForm } from '../../pages/provider-forms.js'
import { connect } from './connection.js'
import { finish, start } from './flow.js'
import { refreshTokens, revokeTokens } from './refresh.js'
import { type ResolvedOAuthProvider, resolveOAuth } from './resolve.js'

/** OAuth 2.0 and OpenID Connect. */
export const oauth: Kind<ResolvedOAuthProvider> = {
  isGuessable: false,
  isAddable: true,
  resolve: (config, env) => resolveOAuth(oauth, config, env),
  form: buttonForm,
  start: (request, provider, _fields, target) => start(request, provider, target),
  finish: { GET: finish, POST: finish },
  tokens: (provider) => ({
    revokeOnSignOut: provider.revokeOnSignOut,
    scope: provider.scope,
    moreScopes: provider.moreScopes,
    scopeSeparator: provider.scopeSeparator,
    connect: (now) => tokenClient(provider, now),
  }),
}

async function tokenClient(provider: ResolvedOAuthProvider, now: number): Promise<TokenClient> {
  const connection = await connect(provider, now)
  return {
    refresh: (refreshToken) => refreshTokens(connection, refreshToken),
    revoke: (tokens) => revokeTokens(connection, tokens),
  }
}
