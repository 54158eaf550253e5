import { OAuthCallbackError, StoreUnavailable, TokenRefreshFailed } from '../../errors.js'
import type { TokenClient, TokenSource } from '../../http/kind.js'
import { type AuthRequest, nowInSeconds } from '../../http/request.js'
import type { ProviderTokens } from '../../session/stored-values.js'
import type { AccessToken, TokenSet } from '../../types.js'
import {
  asAccessToken,
  lastResort,
  lasts,
  marginOf,
  revokeAt,
  storedTokens,
  tokenSource,
} from './stored-tokens.js'

/** How often another caller's refresh is waited for. */
export const LOOKS = 60

/** One of these waits. */
export function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 250))
}

/** Where tokens are kept: with a session, or with a way to sign in. One caller at a time refreshes them. */
export interface TokenHome {
  /** The provider's id. */
  readonly provider: string
  /** The answer for a caller when the person no longer has any. */
  readonly over: 'signed-out' | 'no-token'
  /** @throws {StoreUnavailable} */
  newest(): Promise<ProviderTokens | undefined>
  /**
   * Asks to refresh tokens. `newer`: others are kept meanwhile; `over`: none are.
   * @throws {StoreUnavailable}
   */
  claim(tokens: ProviderTokens): Promise<'yours' | 'taken' | 'newer' | 'over'>
  /** Gives up a claim: another caller may try. @throws {StoreUnavailable} */
  release(tokens: ProviderTokens): Promise<void>
  /**
   * Keeps what a refresh brought. Never rejects: a rotated refresh token exists nowhere else.
   * @returns the tokens that count now
   */
  settle(fresh: ProviderTokens): Promise<ProviderTokens>
  /** @throws {StoreUnavailable} */
  isOver(): Promise<boolean>
  /** Are tokens revoked that arrive after their owner has gone? */
  revokes(source: TokenSource): boolean
}

/**
 * The newest tokens of a home, refreshed when they are about to end (RFC 6749, section 6). Refresh
 * tokens rotate, and a second use of one ends the whole grant (RFC 9700, section 4.14.2): so the
 * ledger lets one caller at a time refresh, whatever the isolates. While the ledger or the provider
 * fails, a token that is still good is given.
 *
 * @param known tokens that the caller has seen
 */
export async function freshToken(
  request: AuthRequest,
  home: TokenHome,
  known: ProviderTokens,
): Promise<AccessToken> {
  let tokens: ProviderTokens | undefined = known
  const newest = async () => {
    tokens = await home.newest()
    return tokens
  }
  try {
    return await lookOrRefresh(request, { ...home, newest })
  } catch (error) {
    const isFault = error instanceof StoreUnavailable || error instanceof OAuthCallbackError
    if (!isFault) throw error
    request.config.logger.error(error)
    return lastResort(request, tokens ?? known)
  }
}

/** @throws {StoreUnavailable} @throws {OAuthCallbackError} */
async function lookOrRefresh(request: AuthRequest, home: TokenHome): Promise<AccessToken> {
  let tokens = await home.newest()
  const known = tokens?.version
  let client: TokenClient | undefined
  for (let look = 0; look < LOOKS && tokens; look++) {
    // Tokens that another caller has just fetched are used even when they end soon.
    const margin = tokens.version === known ? marginOf(tokens) : 0
    if (tokens.ended) return { ok: false, reason: 'sign-in-needed' }
    if (lasts(request, tokens, margin)) {
      const isOver = look > 0 && (await home.isOver())
      return isOver ? { ok: false, reason: home.over } : asAccessToken(tokens)
    }
    const source = await tokenSource(request, home.provider)
    if (!source || !tokens.refresh_token) {
      return lasts(request, tokens, 0)
        ? asAccessToken(tokens)
        : { ok: false, reason: 'sign-in-needed' }
    }
    // Made before the claim, so that the claim is held only during the refresh. Its limit begins with it.
    client ??= await source.connect(request.config.now())
    const claim = await home.claim(tokens)
    if (claim === 'over') return { ok: false, reason: home.over }
    if (claim === 'yours') {
      const work = refresh(request, home, { source, client }, tokens)
      // The caller may disconnect; the provider's answer must not be lost then.
      request.waitUntil(work.catch(() => {}))
      return work
    }
    if (claim === 'taken') {
      await pause()
      client = undefined
    }
    const { version } = tokens
    if (claim === 'newer') tokens = await home.newest()
    // There are newer tokens, but they are sealed with a removed secret.
    if (claim === 'newer' && tokens?.version === version) {
      return lasts(request, tokens, 0)
        ? asAccessToken(tokens)
        : { ok: false, reason: 'sign-in-needed' }
    }
  }
  return tokens ? lastResort(request, tokens) : { ok: false, reason: 'no-token' }
}

/** Refreshes tokens. Only the holder of the claim may. */
async function refresh(
  request: AuthRequest,
  home: TokenHome,
  { source, client }: { readonly source: TokenSource; readonly client: TokenClient },
  tokens: ProviderTokens,
): Promise<AccessToken> {
  const { version, refresh_token = '', scope: granted, expires_in: lifetime } = tokens
  let answer: TokenSet
  try {
    answer = await client.refresh(refresh_token)
  } catch (error) {
    const cause = error instanceof OAuthCallbackError ? error.cause : undefined
    request.config.logger.error(new TokenRefreshFailed('The tokens were not refreshed.', { cause }))
    if (cause?.error !== 'invalid_grant') {
      await home.release(tokens)
      return lastResort(request, tokens)
    }
    // The refusal is final, so no further request is made.
    const kept = await home.settle({ version: version + 1, ended: true })
    return kept.ended ? { ok: false, reason: 'sign-in-needed' } : lastResort(request, kept)
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
  const fresh = storedTokens({ ...former, ...answer }, version + 1)
  if (!fresh) return lastResort(request, tokens)
  await home.settle(fresh)
  // A ledger that does not answer is no reason to discard the provider's answer.
  if (!(await home.isOver().catch(() => false))) return asAccessToken(fresh)
  if (home.revokes(source)) await revokeAt(request, source, fresh)
  return { ok: false, reason: home.over }
}

/** The waits before repeated calls to a ledger that did not take tokens. Milliseconds. */
const RETRIES = [0, 1_000, 3_000, 8_000]

/** Repeats a failed call, in the background. Never rejects. */
export async function retryLater(attempt: () => Promise<void>): Promise<void> {
  for (const delay of RETRIES) {
    await new Promise((resolve) => setTimeout(resolve, delay))
    const isDone = await attempt().then(
      () => true,
      () => false,
    )
    if (isDone) return
  }
}
