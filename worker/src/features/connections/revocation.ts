import type { SessionClaims } from '@latchkey/session'
import { TokenRefreshFailed } from '../../errors.js'
import type { AuthRequest } from '../../http/request.js'
import { loadSession } from '../../session/record.js'
import { newestTokens } from './session-tokens.js'
import { revokeAt, tokenSource } from './stored-tokens.js'

/**
 * Prepares the revocation of the provider's tokens after the session has ended, if
 * `revokeOnSignOut` is set. It reads the tokens now, while they still exist.
 *
 * @returns a function that never rejects: a failure at the provider is logged, and the person is
 * signed out here
 */
export async function providerRevocation(
  request: AuthRequest,
  claims: Pick<SessionClaims, 'sub' | 'sid' | 'auth_time' | 'began' | 'amr'>,
): Promise<() => Promise<void>> {
  // A step-up, by any way, keeps the earlier tokens.
  const isKnown = claims.began === undefined
  if (isKnown && !(await tokenSource(request, claims.amr[0] ?? ''))?.revokeOnSignOut) return nothing
  try {
    const standing = await loadSession(request, claims)
    if (typeof standing === 'string') return nothing
    const source = await tokenSource(request, standing.record.provider)
    if (!source?.revokeOnSignOut) return nothing
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

async function nothing(): Promise<void> {}
