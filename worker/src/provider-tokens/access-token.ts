import { AuthError, OAuthCallbackError, StoreUnavailable } from '../errors.js'
import type { AuthRequest } from '../http/request.js'
import { readSession } from '../session/read.js'
import { loadSession, type StandingSession } from '../session/record.js'
import type { AccessToken } from '../types.js'
import { given, lastResort, lasts, marginOf } from './kept-tokens.js'
import { freshToken } from './refresh.js'
import { sessionTokens } from './session-tokens.js'

/** The provider's access token of the person that a request's cookie signs in. Never throws. */
export async function accessTokenFor(request: AuthRequest): Promise<AccessToken> {
  try {
    const found = await readSession(request)
    if (!found) return { ok: false, reason: 'signed-out' }
    const standing = await loadSession(request, found.claims)
    if (standing === 'unknown') return { ok: false, reason: 'unavailable' }
    if (standing === 'over') return { ok: false, reason: 'signed-out' }
    return await accessTokenOf(request, standing)
  } catch (error) {
    request.config.logger.error(
      error instanceof AuthError ? error : new AuthError('Unexpected failure.', { cause: error }),
    )
    return { ok: false, reason: 'unavailable' }
  }
}

/**
 * The provider's access token of a session, refreshed when it is about to end.
 *
 * @param standing `tokens` is set to the newest that were seen
 */
export async function accessTokenOf(
  request: AuthRequest,
  standing: StandingSession,
): Promise<AccessToken> {
  const { tokens } = standing
  if (!tokens) return { ok: false, reason: 'no-token' }
  if (lasts(request, tokens, marginOf(tokens))) return given(tokens)
  try {
    return await freshToken(request, sessionTokens(request, standing))
  } catch (error) {
    const isFault = error instanceof StoreUnavailable || error instanceof OAuthCallbackError
    if (!isFault) throw error
    request.config.logger.error(error)
    return lastResort(request, standing.tokens ?? tokens)
  }
}
