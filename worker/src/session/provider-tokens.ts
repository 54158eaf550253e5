import type { SessionClaims } from '@latchkey/session'
import type { ResolvedOAuthProvider } from '../config/providers.js'
import { AuthError, OAuthCallbackError, StoreUnavailable, TokenRefreshFailed } from '../errors.js'
import { nowInSeconds, type RequestScope } from '../http/scope.js'
import { isRecord } from '../is-record.js'
import { type Connection, connect } from '../oauth/connection.js'
import { refreshTokens, revokeTokens } from '../oauth/refresh.js'
import type { AccessToken, TokenSet } from '../types.js'
import { readSession } from './read.js'
import { loadSession, type ProviderTokens, type StandingSession, sealKept } from './record.js'

/** A token that ends sooner is refreshed, so that it lasts for the call it is wanted for. Seconds. */
const MARGIN = 60
/** How often, and for how long each time, another caller's refresh is waited for. Milliseconds. */
const LOOKS = 60
const PAUSE = 250

/** What is kept of a token answer; an ID token has served its purpose. */
export function keptTokens(answer: TokenSet, version = 0): ProviderTokens | undefined {
  const { access_token, refresh_token, token_type, scope, expires_at } = answer
  if (access_token === undefined) return undefined
  return {
    version,
    access_token,
    ...(refresh_token === undefined ? {} : { refresh_token }),
    ...(token_type === undefined ? {} : { token_type }),
    ...(scope === undefined ? {} : { scope }),
    ...(expires_at === undefined ? {} : { expires_at }),
  }
}

/** The provider's access token of whoever a cookie signs in. Never throws. */
export async function accessTokenFor(
  scope: RequestScope,
  cookieHeader: string | null,
): Promise<AccessToken> {
  try {
    const found = await readSession(scope, cookieHeader)
    if (!found) return { ok: false, reason: 'signed-out' }
    const standing = await loadSession(scope, found.claims)
    if (standing === 'unknown') return { ok: false, reason: 'unavailable' }
    if (standing === 'over') return { ok: false, reason: 'signed-out' }
    return await accessTokenOf(scope, standing)
  } catch (error) {
    const known =
      error instanceof AuthError ? error : new AuthError('Unexpected failure.', { cause: error })
    scope.config.logger.error(known)
    return { ok: false, reason: 'unavailable' }
  }
}

/**
 * The provider's access token of a session, refreshed when it is about to end (RFC 6749, section
 * 6). Refresh tokens rotate, and a second use of one ends the whole grant (RFC 9700, section
 * 4.14.2): so the ledger lets one caller at a time refresh, whatever the isolates, and it keeps
 * the newest tokens, since KV may show old ones.
 */
export async function accessTokenOf(
  scope: RequestScope,
  standing: StandingSession,
): Promise<AccessToken> {
  if (!standing.tokens) return { ok: false, reason: 'no-token' }
  if (lasts(scope, standing.tokens, MARGIN)) return given(standing.tokens)
  try {
    return await freshToken(scope, standing, standing.tokens)
  } catch (error) {
    const isFault = error instanceof StoreUnavailable || error instanceof OAuthCallbackError
    if (!isFault) throw error
    scope.config.logger.error(error)
    return lastResort(scope, standing.tokens)
  }
}

async function freshToken(
  scope: RequestScope,
  standing: StandingSession,
  known: ProviderTokens,
): Promise<AccessToken> {
  const { sid, provider: id, expires } = standing.record
  const provider = scope.config.usable.get(id)
  let tokens = known
  for (let look = 0; look < LOOKS; look++) {
    if (tokens.ended) return { ok: false, reason: 'sign-in-needed' }
    if (lasts(scope, tokens, MARGIN)) return given(tokens)
    const { refresh_token } = tokens
    if (!provider || !('clientAuthentication' in provider) || !refresh_token) {
      return lasts(scope, tokens, 0) ? given(tokens) : { ok: false, reason: 'sign-in-needed' }
    }
    // Before the claim, which is not held for longer than a refresh takes.
    const connection = await connect(provider, scope.config.now())
    const end = expires + scope.config.session.maxAge
    const claim = await scope.config.stores.ledger.claimRefresh(sid, tokens.version, end)
    if (claim.state === 'over') return { ok: false, reason: 'signed-out' }
    if (claim.state === 'yours') return refresh(scope, standing, connection, tokens)
    if (claim.state === 'newer') tokens = await opened(scope, sid, claim.sealed)
    else await new Promise((resolve) => setTimeout(resolve, PAUSE))
  }
  return lastResort(scope, tokens)
}

/** Only the holder of the claim comes here. */
async function refresh(
  scope: RequestScope,
  standing: StandingSession,
  connection: Connection,
  tokens: ProviderTokens,
): Promise<AccessToken> {
  const { version, refresh_token = '' } = tokens
  const { ledger } = scope.config.stores
  const { sid } = standing.record
  let answer: TokenSet
  try {
    answer = await refreshTokens(connection, refresh_token)
  } catch (error) {
    const cause = error instanceof OAuthCallbackError ? error.cause : undefined
    scope.config.logger.error(new TokenRefreshFailed('The tokens were not refreshed.', { cause }))
    if (cause?.error !== 'invalid_grant') {
      await ledger.settleRefresh(sid, version, undefined)
      return lastResort(scope, tokens)
    }
    // The provider's last word: asking again would only annoy it.
    await settle(scope, standing, { version: version + 1, ended: true })
    return { ok: false, reason: 'sign-in-needed' }
  }
  // What the provider does not repeat stays as it was.
  const { scope: granted } = tokens
  const kept = keptTokens(
    { refresh_token, ...(granted ? { scope: granted } : {}), ...answer },
    version + 1,
  )
  if (!kept) return lastResort(scope, tokens)
  await settle(scope, standing, kept)
  return given(kept)
}

/**
 * Keeps the newest tokens in the ledger, and where that fails in the session's record: a rotated
 * refresh token exists nowhere else.
 */
async function settle(
  scope: RequestScope,
  standing: StandingSession,
  tokens: ProviderTokens,
): Promise<void> {
  const { stores, keys, logger, session } = scope.config
  const { record, token } = standing
  const { sid, expires } = record
  const sealed = await keys.record.seal({ sid, tokens }, expires + session.maxAge)
  try {
    await stores.ledger.settleRefresh(sid, tokens.version - 1, sealed)
  } catch (error) {
    logger.error(error as StoreUnavailable)
    const kept = await sealKept(scope, sid, { token, tokens }, expires)
    await stores.sessions.put({ ...record, sealed: kept })
  }
}

/**
 * The tokens that a record is written with: those of the ledger, if they were refreshed.
 *
 * @throws {StoreUnavailable}
 */
export async function newestTokens(
  scope: RequestScope,
  { record, tokens }: StandingSession,
): Promise<ProviderTokens | undefined> {
  if (!tokens?.refresh_token) return tokens
  const sealed = await scope.config.stores.ledger.refreshedTokens(record.sid)
  if (sealed === undefined) return tokens
  const refreshed = await opened(scope, record.sid, sealed)
  return refreshed.version > tokens.version ? refreshed : tokens
}

async function opened(
  { config }: RequestScope,
  sid: string,
  sealed: string,
): Promise<ProviderTokens> {
  const content = await config.keys.record.open(sealed)
  if (content?.sid !== sid || !isRecord(content.tokens)) {
    throw new StoreUnavailable('Refreshed tokens cannot be decrypted.')
  }
  return content.tokens as unknown as ProviderTokens
}

/** After a failure that may pass: what is left of the token's life is still good. */
function lastResort(scope: RequestScope, tokens: ProviderTokens): AccessToken {
  return lasts(scope, tokens, 0) ? given(tokens) : { ok: false, reason: 'unavailable' }
}

/** Tokens whose end the provider does not say are taken to last. */
function lasts(scope: RequestScope, { access_token, expires_at }: ProviderTokens, margin: number) {
  if (access_token === undefined) return false
  return expires_at === undefined || expires_at - margin > nowInSeconds(scope)
}

function given(tokens: ProviderTokens): AccessToken {
  const { access_token = '', token_type = 'bearer', scope, expires_at } = tokens
  return {
    ok: true,
    accessToken: access_token,
    tokenType: token_type,
    ...(scope === undefined ? {} : { scope }),
    ...(expires_at === undefined ? {} : { expiresAt: expires_at }),
  }
}

/**
 * How the provider's tokens are revoked once the session is over, where its provider is configured
 * so. The tokens are looked up here, while they can still be found.
 *
 * @returns what never rejects: a provider that fails is logged, and the person is signed out here
 */
export async function providerRevocation(
  scope: RequestScope,
  claims: SessionClaims,
): Promise<() => Promise<void>> {
  const provider = scope.config.usable.get(claims.amr[0] ?? '')
  if (!provider || !('revokeOnSignOut' in provider) || !provider.revokeOnSignOut) return nothing
  try {
    const standing = await loadSession(scope, claims)
    if (typeof standing === 'string') return nothing
    const tokens = await newestTokens(scope, standing)
    if (!tokens) return nothing
    return () => revokeAt(scope, provider, tokens)
  } catch (error) {
    scope.config.logger.error(
      new TokenRefreshFailed('The tokens were not revoked.', { cause: error }),
    )
    return nothing
  }
}

async function revokeAt(
  { config }: RequestScope,
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
