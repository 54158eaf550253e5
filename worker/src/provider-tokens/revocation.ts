import type { SessionClaims } from '@latchkey/session'
import type { ResolvedOAuthProvider } from '../config/providers.js'
import { TokenRefreshFailed } from '../errors.js'
import type { AuthRequest } from '../http/request.js'
import { loadSession, type ProviderTokens } from '../session/record.js'
import { connect } from '../sign-in/oauth/connection.js'
import { revokeTokens } from '../sign-in/oauth/refresh.js'
import { newestTokens } from './kept-tokens.js'

/**
 * How the provider's tokens are revoked once the session is over, where its provider is configured
 * so. The tokens are looked up here, while they can still be found.
 *
 * @returns what never rejects: a provider that fails is logged, and the person is signed out here
 */
export async function providerRevocation(
  request: AuthRequest,
  claims: SessionClaims,
): Promise<() => Promise<void>> {
  const provider = request.config.usable.get(claims.amr[0] ?? '')
  if (!provider || !('revokeOnSignOut' in provider) || !provider.revokeOnSignOut) return nothing
  try {
    const standing = await loadSession(request, claims)
    if (typeof standing === 'string') return nothing
    const tokens = await newestTokens(request, standing)
    if (!tokens) return nothing
    return () => revokeAt(request, provider, tokens)
  } catch (error) {
    request.config.logger.error(
      new TokenRefreshFailed('The tokens were not revoked.', { cause: error }),
    )
    return nothing
  }
}

/** Revokes tokens at their provider. Never rejects. */
export async function revokeAt(
  { config }: AuthRequest,
  provider: ResolvedOAuthProvider,
  tokens: ProviderTokens,
): Promise<void> {
  try {
    await revokeTokens(await connect(provider, config.now()), tokens)
  } catch (error) {
    config.logger.error(new TokenRefreshFailed('The tokens were not revoked.', { cause: error }))
  }
}

async function nothing(): Promise<void> {}
