import { OAuthCallbackError, type StoreUnavailable, TokenRefreshFailed } from '../errors.js'
import {
  type AuthRequest,
  nowInSeconds,
  type TokenClient,
  type TokenSource,
} from '../http/request.js'
import {
  loadSession,
  type ProviderTokens,
  type StandingSession,
  sealKept,
} from '../session/record.js'
import { deleteRecord, isRevoked, nameOf } from '../session/revoke.js'
import type { AccessToken, TokenSet } from '../types.js'
import { given, keptTokens, lastResort } from './kept-tokens.js'
import { revokeAt } from './revocation.js'

/** The waits before repeated calls to a ledger that did not take the tokens. Milliseconds. */
const RETRIES = [0, 1_000, 3_000, 8_000]

/** Refreshes a session's tokens. Only the holder of the ledger's claim may. */
export async function refresh(
  request: AuthRequest,
  standing: StandingSession,
  { source, client }: { readonly source: TokenSource; readonly client: TokenClient },
  tokens: ProviderTokens,
): Promise<AccessToken> {
  const { version, refresh_token = '', scope: granted, expires_in: lifetime } = tokens
  const { config, stores } = request
  const { sid } = standing.record
  let answer: TokenSet
  try {
    answer = await client.refresh(refresh_token)
  } catch (error) {
    const cause = error instanceof OAuthCallbackError ? error.cause : undefined
    config.logger.error(new TokenRefreshFailed('The tokens were not refreshed.', { cause }))
    if (cause?.error !== 'invalid_grant') {
      await stores.ledger.settleRefresh(sid, version, undefined)
      return lastResort(request, tokens)
    }
    // The refusal is final, so no further request is made.
    await settle(request, standing, { version: version + 1, ended: true })
    return { ok: false, reason: 'sign-in-needed' }
  }
  // A value that the provider does not repeat is kept.
  const expires_in = answer.expires_in ?? lifetime
  const former = {
    refresh_token,
    ...(granted === undefined ? {} : { scope: granted }),
    ...(expires_in === undefined
      ? {}
      : { expires_in, expires_at: nowInSeconds(request) + Math.floor(expires_in) }),
  }
  const fresh = keptTokens({ ...former, ...answer }, version + 1)
  if (!fresh) return lastResort(request, tokens)
  await settle(request, standing, fresh)
  if (!(await hasEndedMeanwhile(request, standing))) return given(fresh)
  if (source.revokeOnSignOut) await revokeAt(request, source, fresh)
  return { ok: false, reason: 'signed-out' }
}

/** A ledger that does not answer is no reason to discard the provider's answer. */
async function hasEndedMeanwhile(
  request: AuthRequest,
  { record }: StandingSession,
): Promise<boolean> {
  return isRevoked(request, nameOf(record)).catch(() => false)
}

/**
 * Stores the newest tokens in the ledger. When it fails they go into the session's record, and the
 * call to the ledger is repeated in the background: a rotated refresh token exists nowhere else.
 * Never rejects.
 */
async function settle(
  request: AuthRequest,
  standing: StandingSession,
  tokens: ProviderTokens,
): Promise<void> {
  const { config, stores, keys } = request
  const { sid, expires } = standing.record
  standing.tokens = tokens
  const sealed = await keys.record.seal({ sid, tokens }, expires + config.session.maxAge)
  const attempt = () => stores.ledger.settleRefresh(sid, tokens.version - 1, sealed)
  try {
    await attempt()
  } catch (error) {
    config.logger.error(error as StoreUnavailable)
    request.waitUntil(tryAgain(attempt))
    await writeBeside(request, standing, tokens).catch((failure: Error) =>
      config.logger.error(failure),
    )
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

/** Writes the tokens into the current record, and deletes it when the session is over. */
async function writeBeside(
  request: AuthRequest,
  { record: { sub, sid, created } }: StandingSession,
  tokens: ProviderTokens,
): Promise<void> {
  const { sessions } = request.stores
  const current = await loadSession(request, { sub, sid, auth_time: created })
  if (typeof current === 'string') return
  const { record } = current
  const sealed = await sealKept(request, sid, { ...current, tokens }, record.expires)
  await sessions.put({ ...record, sealed })
  if (await isRevoked(request, nameOf(record))) deleteRecord(request, record)
}
