import { AuthError } from '../../errors.js'
import type { AuthRequest } from '../../http/request.js'
import { readPerson } from '../../person/documents.js'
import { isBlocked } from '../../person/person.js'
import { goesOn, isGood, readSessions } from '../../session/read.js'
import { loadSession } from '../../session/record.js'
import { claimedStanding } from '../../session/revoke.js'
import type { StandingSession } from '../../session/stored-values.js'
import type { AccessToken } from '../../types.js'
import { connectedToken } from './connected-token.js'
import { freshToken } from './refresh.js'
import { sessionTokens } from './session-tokens.js'
import { asAccessToken, lasts, marginOf } from './stored-tokens.js'

/**
 * The access token of the person that a request's cookie signs in. Never throws.
 *
 * @param provider of which of their providers; left out, of the one they have signed in with
 */
export function accessTokenFor(request: AuthRequest, provider?: string): Promise<AccessToken> {
  return orUnavailable(request, async () => {
    const { own } = await readSessions(request)
    if (!own) return { ok: false, reason: 'signed-out' }
    if (!isGood(own)) return signedOut(request, own.claims.sub)
    const known = claimedStanding(request, own.claims)
    const [standing, isTheirs] = await Promise.all([
      loadSession(request, own.claims, known),
      goesOn(request, own, known),
    ])
    if (standing === 'over') return signedOut(request, own.claims.sub)
    // Tokens of their browser's key alone continue the session.
    if (!isTheirs) return { ok: false, reason: 'signed-out' }
    if (standing === 'unknown') return { ok: false, reason: 'unavailable' }
    const { record, tokens } = standing
    if (provider === undefined) return accessTokenOf(request, standing)
    const connected = await connectedToken(request, record.sub, provider)
    // A person with only one way has its tokens with the session.
    const isOwn = record.provider === provider && tokens && !tokens.connected
    const isNone = !connected.ok && connected.reason === 'no-token'
    return isOwn && isNone ? accessTokenOf(request, standing) : connected
  })
}

/** Why a person whose session has ended has no token: a block ends each of them. */
async function signedOut(request: AuthRequest, sub: string): Promise<AccessToken> {
  // If the ledger cannot say it, the session is over all the same.
  const read = await readPerson(request, sub).catch(() => undefined)
  return { ok: false, reason: isBlocked(read?.person) ? 'blocked' : 'signed-out' }
}

/** The access token of a person, whether they are signed in or not. Never throws. */
export function accessTokenOfPerson(
  request: AuthRequest,
  sub: string,
  provider: string,
): Promise<AccessToken> {
  return orUnavailable(request, () => connectedToken(request, sub, provider))
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
  if (lasts(request, tokens, marginOf(tokens))) return asAccessToken(tokens)
  const fresh = tokens.connected
    ? undefined
    : await freshToken(request, sessionTokens(request, standing), tokens)
  const { sub, provider } = standing.record
  return fresh && !standing.tokens?.connected ? fresh : connectedToken(request, sub, provider)
}

async function orUnavailable(
  { config }: AuthRequest,
  ask: () => Promise<AccessToken>,
): Promise<AccessToken> {
  try {
    return await ask()
  } catch (error) {
    config.logger.error(
      error instanceof AuthError ? error : new AuthError('Unexpected failure.', { cause: error }),
    )
    return { ok: false, reason: 'unavailable' }
  }
}
