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
import { deleteRecord, isRevoked, nameOf } from './revoke.js'

/** A token that ends sooner is refreshed, so that it lasts for the call it is wanted for. Seconds. */
const MARGIN = 60
/** How often, and for how long each time, another caller's refresh is waited for. Milliseconds. */
const LOOKS = 60
const PAUSE = 250
/** When the ledger is told again of tokens that it did not take. Milliseconds. */
const RETRIES = [0, 1_000, 3_000, 8_000]

/** What is kept of a token answer; an ID token has served its purpose. */
export function keptTokens(answer: TokenSet, version = 0): ProviderTokens | undefined {
  const { access_token, refresh_token, token_type, scope, expires_in, expires_at } = answer
  if (access_token === undefined) return undefined
  const members = { refresh_token, token_type, scope, expires_in, expires_at }
  const there = Object.entries(members).filter(([, value]) => value !== undefined)
  return { version, access_token, ...Object.fromEntries(there) }
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
    scope.config.logger.error(
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
 * @param standing `tokens` becomes the newest that were seen
 */
export async function accessTokenOf(
  scope: RequestScope,
  standing: StandingSession,
): Promise<AccessToken> {
  const { tokens } = standing
  if (!tokens) return { ok: false, reason: 'no-token' }
  if (lasts(scope, tokens, marginOf(tokens))) return given(tokens)
  try {
    return await freshToken(scope, standing)
  } catch (error) {
    const isFault = error instanceof StoreUnavailable || error instanceof OAuthCallbackError
    if (!isFault) throw error
    scope.config.logger.error(error)
    return lastResort(scope, standing.tokens ?? tokens)
  }
}

async function freshToken(scope: RequestScope, standing: StandingSession): Promise<AccessToken> {
  const { record } = standing
  const { ledger } = scope.config.stores
  let tokens = await newestTokens(scope, standing)
  const known = tokens?.version
  let connection: Connection | undefined
  for (let look = 0; look < LOOKS && tokens; look++) {
    // What another caller has fetched meanwhile is as fresh as it gets.
    const margin = tokens.version === known ? marginOf(tokens) : 0
    if (tokens.ended) return { ok: false, reason: 'sign-in-needed' }
    if (lasts(scope, tokens, margin)) {
      const isOver = look > 0 && (await isRevoked(scope, nameOf(record)))
      return isOver ? { ok: false, reason: 'signed-out' } : given(tokens)
    }
    const provider = scope.config.usable.get(record.provider)
    if (!provider || !('clientAuthentication' in provider) || !tokens.refresh_token) {
      return lasts(scope, tokens, 0) ? given(tokens) : { ok: false, reason: 'sign-in-needed' }
    }
    // Before the claim, which is not held for longer than a refresh takes.
    connection ??= await connect(provider, scope.config.now())
    const end = record.expires + scope.config.session.maxAge
    const claim = await ledger.claimRefresh(record.sid, tokens.version, end)
    if (claim.state === 'over') return { ok: false, reason: 'signed-out' }
    if (claim.state === 'yours') {
      const work = refresh(scope, standing, connection, tokens)
      // Whoever asked may leave; the provider's answer must not be lost with them.
      scope.waitUntil(work.catch(() => {}))
      return work
    }
    if (claim.state === 'taken') await new Promise((resolve) => setTimeout(resolve, PAUSE))
    const { version } = tokens
    if (claim.state === 'newer') tokens = await newestTokens(scope, standing)
    // There are newer ones, but they are sealed with a secret that is out of use.
    if (claim.state === 'newer' && tokens?.version === version) {
      return lasts(scope, tokens, 0) ? given(tokens) : { ok: false, reason: 'sign-in-needed' }
    }
  }
  return tokens ? lastResort(scope, tokens) : { ok: false, reason: 'no-token' }
}

/** Only the holder of the claim comes here. */
async function refresh(
  scope: RequestScope,
  standing: StandingSession,
  connection: Connection,
  tokens: ProviderTokens,
): Promise<AccessToken> {
  const { version, refresh_token = '', scope: granted, expires_in: lifetime } = tokens
  const { stores, logger } = scope.config
  const { sid } = standing.record
  let answer: TokenSet
  try {
    answer = await refreshTokens(connection, refresh_token)
  } catch (error) {
    const cause = error instanceof OAuthCallbackError ? error.cause : undefined
    logger.error(new TokenRefreshFailed('The tokens were not refreshed.', { cause }))
    if (cause?.error !== 'invalid_grant') {
      await stores.ledger.settleRefresh(sid, version, undefined)
      return lastResort(scope, tokens)
    }
    // The provider's last word: asking again would only annoy it.
    await settle(scope, standing, { version: version + 1, ended: true })
    return { ok: false, reason: 'sign-in-needed' }
  }
  // What the provider does not repeat stays as it was.
  const expires_in = answer.expires_in ?? lifetime
  const former = {
    refresh_token,
    ...(granted === undefined ? {} : { scope: granted }),
    ...(expires_in === undefined
      ? {}
      : { expires_in, expires_at: nowInSeconds(scope) + Math.floor(expires_in) }),
  }
  const fresh = keptTokens({ ...former, ...answer }, version + 1)
  if (!fresh) return lastResort(scope, tokens)
  await settle(scope, standing, fresh)
  if (!(await hasEndedMeanwhile(scope, standing))) return given(fresh)
  const { provider } = connection
  if (provider.revokeOnSignOut) await revokeAt(scope, provider, fresh)
  return { ok: false, reason: 'signed-out' }
}

/** A ledger that does not answer is no reason to throw away what the provider gave. */
async function hasEndedMeanwhile(
  scope: RequestScope,
  { record }: StandingSession,
): Promise<boolean> {
  return isRevoked(scope, nameOf(record)).catch(() => false)
}

/**
 * Keeps the newest tokens in the ledger. Where it does not take them they go into the session's
 * record, and the ledger is told again beside the requests: a rotated refresh token exists nowhere
 * else. Never rejects.
 */
async function settle(
  scope: RequestScope,
  standing: StandingSession,
  tokens: ProviderTokens,
): Promise<void> {
  const { stores, keys, logger, session } = scope.config
  const { sid, expires } = standing.record
  standing.tokens = tokens
  const sealed = await keys.record.seal({ sid, tokens }, expires + session.maxAge)
  const attempt = () => stores.ledger.settleRefresh(sid, tokens.version - 1, sealed)
  try {
    await attempt()
  } catch (error) {
    logger.error(error as StoreUnavailable)
    scope.waitUntil(tryAgain(attempt))
    await writeBeside(scope, standing, tokens).catch((failure: Error) => logger.error(failure))
  }
}

async function tryAgain(attempt: () => Promise<void>): Promise<void> {
  for (const delay of RETRIES) {
    await new Promise((resolve) => setTimeout(resolve, delay))
    const isDone = await attempt().then(
      () => true,
      () => false,
    )
    if (isDone) return
  }
}

/** Writes the tokens into the record as it is by now, and leaves none behind that is over. */
async function writeBeside(
  scope: RequestScope,
  { record: { sub, sid, created } }: StandingSession,
  tokens: ProviderTokens,
): Promise<void> {
  const { sessions } = scope.config.stores
  const current = await loadSession(scope, { sub, sid, auth_time: created })
  if (typeof current === 'string') return
  const { record } = current
  const sealed = await sealKept(scope, sid, { ...current, tokens }, record.expires)
  await sessions.put({ ...record, sealed })
  if (await isRevoked(scope, nameOf(record))) deleteRecord(scope, record)
}

/**
 * The newest tokens of a session: those of the ledger, if they were refreshed since its record was
 * written. What the ledger keeps may be sealed with a secret that is out of use; then it is as if
 * it were not there.
 *
 * @throws {StoreUnavailable}
 */
export async function newestTokens(
  { config }: RequestScope,
  standing: StandingSession,
): Promise<ProviderTokens | undefined> {
  const { record, tokens } = standing
  if (!tokens?.refresh_token) return tokens
  const refreshed = await config.stores.ledger.refreshedTokens(record.sid)
  if (!refreshed || refreshed.version <= tokens.version) return tokens
  const content = await config.keys.record.open(refreshed.sealed)
  if (content?.sid !== record.sid || !isRecord(content.tokens)) return tokens
  standing.tokens = content.tokens as unknown as ProviderTokens
  return standing.tokens
}

/** After a failure that may pass: what is left of the token's life is still good. */
function lastResort(scope: RequestScope, tokens: ProviderTokens): AccessToken {
  return lasts(scope, tokens, 0) ? given(tokens) : { ok: false, reason: 'unavailable' }
}

/** Of a token that lives for less than two minutes, half of its life. */
function marginOf({ expires_in = MARGIN * 2 }: ProviderTokens): number {
  return Math.min(MARGIN, expires_in / 2)
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
