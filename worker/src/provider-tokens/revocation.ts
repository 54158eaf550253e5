import type { SessionClaims } from '@latchkey/session'
import { TokenRefreshFailed } from '../errors.js'
import type { AuthRequest, TokenSource } from '../http/request.js'
import { loadSession, type ProviderTokens } from '../session/record.js'
import { newestTokens, tokenSource } from './kept-tokens.js'

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
  const source = tokenSource(request, claims.amr[0] ?? '')
  if (!source?.revokeOnSignOut) return nothing
  try {
    const standing = await loadSession(request, claims)
    if (typeof standing === 'string') return nothing
    const tokens = await newestTokens(request, standing)
    if (!tokens) return nothing
    return () => revokeAt(request, source, tokens)
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
  source: TokenSource,
  tokens: ProviderTokens,
): Promise<void> {
  try {
    const client = await source.connect(config.now())
    await client.revoke(tokens)
  } catch (error) {
    config.logger.error(new TokenRefreshFailed('The tokens were not revoked.', { cause: error }))
  }
}

async function nothing(): Promise<void> {}
