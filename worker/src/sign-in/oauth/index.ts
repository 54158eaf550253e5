import type { Kind, TokenClient } from '../../http/request.js'
import { buttonForm } from '../../pages/provider-forms.js'
import { accountId } from '../../session/subject.js'
import { connect } from './connection.js'
import { finish, start } from './flow.js'
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
    start: (request, provider, _fields, target) => start(request, provider, target),
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
