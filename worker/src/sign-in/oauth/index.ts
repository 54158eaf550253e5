import { timeLimit } from '@latchkey/session/internal'
import { tryProvider } from '../../http/network-limit.js'
import type { AuthRequest, Kind, TokenClient } from '../../http/request.js'
import { buttonForm } from '../../pages/provider-forms.js'
import { accountId } from '../../session/subject.js'
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
  canStepUp,
  accountOf(provider, account, issuer) {
    const id = accountId(account)
    if (id === undefined || (issuer && isForeign(provider, issuer))) return undefined
    if (!provider.issuerOf) return { id }
    return issuer ? { id, tenant: issuer } : undefined
  },
  tokens: (provider) => ({
    revokeOnSignOut: provider.revokeOnSignOut,
    scope: provider.scope,
    moreScopes: provider.moreScopes,
    scopeSeparator: provider.scopeSeparator,
    connect: (now) => tokenClient(provider, now),
  }),
}

/** Is an issuer another one than that of all ID tokens of the provider? Its accounts may have the same ids. */
function isForeign({ type, issuer, issuerOf }: ResolvedOAuthProvider, other: string): boolean {
  if (type !== 'oidc' || issuer === undefined) return false
  // A provider with many tenants has an issuer for each.
  const isOne = !issuerOf || issuerOf({}, issuer) === issuer
  return isOne && plainIssuer(other) !== plainIssuer(issuer)
}

/** Google has left the scheme out, and others add a slash. */
function plainIssuer(issuer: string): string {
  return issuer.replace(/^https:\/\//, '').replace(/\/$/, '')
}

async function tokenClient(provider: ResolvedOAuthProvider, now: number): Promise<TokenClient> {
  const connection = await connect(provider, now)
  return {
    refresh: (refreshToken) => refreshTokens(connection, refreshToken),
    revoke: (tokens) => revokeTokens(connection, tokens),
  }
}

/** No page waits longer for what a provider says of itself. Milliseconds. */
const MAX_WAIT = 2_000

/**
 * OpenID alone says when a person has proved who they are, unless the provider lists what its ID tokens say and
 * that is not among it (OpenID Connect Discovery, section 3, `claims_supported`).
 */
async function canStepUp(request: AuthRequest, provider: ResolvedOAuthProvider) {
  if (provider.type !== 'oidc') return false
  const attempt = await tryProvider(request, 'start')
  if (attempt.wait > 0) return true
  try {
    const { server } = await connect(provider, request.config.now(), timeLimit(MAX_WAIT))
    attempt.forgive()
    return server.claims_supported?.includes('auth_time') ?? true
  } catch {
    await attempt.fail()
    return true
  }
}
