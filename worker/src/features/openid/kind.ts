import type { Kind } from '../../http/kind.js'
import { timeLimit } from '../../http/limited-fetch.js'
import { tryProvider } from '../../http/network-limit.js'
import type { AuthRequest } from '../../http/request.js'
import { accountId } from '../../person/subject.js'
import { connect } from '../../sign-in/oauth/connection.js'
import { oauthKind } from '../../sign-in/oauth/index.js'
import type { OpenId } from '../../sign-in/oauth/openid.js'
import type { ResolvedOAuthProvider } from '../../sign-in/oauth/resolve.js'
import { discover } from './discovery.js'
import { verifyIdToken } from './id-token.js'

/** What OpenID Connect adds, for other kinds of sign-in. */
export const openId: OpenId = { discover, verifyIdToken }

/** OAuth 2.0 and OpenID Connect. */
export const openid: Kind<ResolvedOAuthProvider> = {
  ...oauthKind(openId),
  canStepUp,
  accountOf(provider, account, issuer) {
    const id = accountId(account)
    if (id === undefined || (issuer && isForeign(provider, issuer))) return undefined
    if (!provider.issuerOf) return { id }
    return issuer ? { id, tenant: issuer } : undefined
  },
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

/** No page waits longer for what a provider says of itself. Milliseconds. */
const MAX_WAIT = 2_000

/**
 * OpenID alone has the time of authentication, unless the provider lists the claims of its ID tokens
 * without it (OpenID Connect Discovery, section 3, `claims_supported`).
 */
async function canStepUp(request: AuthRequest, provider: ResolvedOAuthProvider): Promise<boolean> {
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
