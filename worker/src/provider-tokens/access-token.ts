import { AuthError, OAuthCallbackError, StoreUnavailable } from '../errors.js'
import type { AuthRequest, TokenClient } from '../http/request.js'
import { readSession } from '../session/read.js'
import { loadSession, type StandingSession } from '../session/record.js'
import { isRevoked, nameOf } from '../session/revoke.js'
import type { AccessToken } from '../types.js'
import { given, lastResort, lasts, marginOf, newestTokens, tokenSource } from './kept-tokens.js'
import { refresh } from './refresh.js'

/** The waits for another caller's refresh, one after the other. Milliseconds. */
const LOOKS = 60
const PAUSE = 250
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
 * The provider's access token of a session, refreshed when it is about to end (RFC 6749, section
 * 6). Refresh tokens rotate, and a second use of one ends the whole grant (RFC 9700, section
 * 4.14.2): so the ledger lets one caller at a time refresh, whatever the isolates, and it keeps
 * the newest tokens, since KV may show old ones.
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
    return await freshToken(request, standing)
  } catch (error) {
    const isFault = error instanceof StoreUnavailable || error instanceof OAuthCallbackError
    if (!isFault) throw error
    request.config.logger.error(error)
    return lastResort(request, standing.tokens ?? tokens)
  }
}

async function freshToken(request: AuthRequest, standing: StandingSession): Promise<AccessToken> {
  const { record } = standing
  const { ledger } = request.stores
  let tokens = await newestTokens(request, standing)
  const known = tokens?.version
  let client: TokenClient | undefined
  for (let look = 0; look < LOOKS && tokens; look++) {
    // Tokens that another caller has just fetched are used even when they end soon.
    const margin = tokens.version === known ? marginOf(tokens) : 0
    if (tokens.ended) return { ok: false, reason: 'sign-in-needed' }
    if (lasts(request, tokens, margin)) {
      const isOver = look > 0 && (await isRevoked(request, nameOf(record)))
      return isOver ? { ok: false, reason: 'signed-out' } : given(tokens)
    }
    const source = tokenSource(request, record.provider)
    if (!source || !tokens.refresh_token) {
      return lasts(request, tokens, 0) ? given(tokens) : { ok: false, reason: 'sign-in-needed' }
    }
    // Made before the claim, so that the claim is held only during the refresh. Its limit begins with it.
    client ??= await source.connect(request.config.now())
    const end = record.expires + request.config.session.maxAge
    const claim = await ledger.claimRefresh(record.sid, tokens.version, end)
    if (claim.state === 'over') return { ok: false, reason: 'signed-out' }
    if (claim.state === 'yours') {
      const work = refresh(request, standing, { source, client }, tokens)
      // The caller may disconnect; the provider's answer must not be lost then.
      request.waitUntil(work.catch(() => {}))
      return work
    }
    if (claim.state === 'taken') {
      await new Promise((resolve) => setTimeout(resolve, PAUSE))
      client = undefined
    }
    const { version } = tokens
    if (claim.state === 'newer') tokens = await newestTokens(request, standing)
    // There are newer tokens, but they are sealed with a removed secret.
    if (claim.state === 'newer' && tokens?.version === version) {
      return lasts(request, tokens, 0) ? given(tokens) : { ok: false, reason: 'sign-in-needed' }
    }
  }
  return tokens ? lastResort(request, tokens) : { ok: false, reason: 'no-token' }
}
