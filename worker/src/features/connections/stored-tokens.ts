import { TokenRefreshFailed } from '../../errors.js'
import { findProvider } from '../../http/find-provider.js'
import type { TokenSource } from '../../http/kind.js'
import { type AuthRequest, nowInSeconds } from '../../http/request.js'
import type { ProviderTokens } from '../../session/stored-values.js'
import type { AccessToken, TokenSet } from '../../types.js'

/** The members of a token answer that are stored; the ID token is no longer needed. */
export function storedTokens(answer: TokenSet, version = 0): ProviderTokens | undefined {
  const { access_token, refresh_token, token_type, scope, expires_in, expires_at } = answer
  if (access_token === undefined) return undefined
  const members = { refresh_token, token_type, scope, expires_in, expires_at }
  const there = Object.entries(members).filter(([, value]) => value !== undefined)
  return { version, access_token, ...Object.fromEntries(there) }
}

/** The refresh and revocation of a provider's tokens, if they are possible. */
export async function tokenSource(
  request: AuthRequest,
  id: string,
): Promise<TokenSource | undefined> {
  const provider = await findProvider(request, id)
  return provider?.kind.tokens?.(provider)
}

/** After a passing failure: the token is still good until it ends. */
export function lastResort(request: AuthRequest, tokens: ProviderTokens): AccessToken {
  return lasts(request, tokens, 0) ? asAccessToken(tokens) : { ok: false, reason: 'unavailable' }
}

/** A token that ends sooner is refreshed, so that it lasts for the call that needs it. Seconds. */
const MARGIN = 60

/** For a token that lives for less than two minutes the margin is half of its life. */
export function marginOf({ expires_in = MARGIN * 2 }: ProviderTokens): number {
  return Math.min(MARGIN, expires_in / 2)
}

/** A token whose end the provider does not tell counts as lasting. */
export function lasts(
  request: AuthRequest,
  { access_token, expires_at }: ProviderTokens,
  margin: number,
) {
  if (access_token === undefined) return false
  return expires_at === undefined || expires_at - margin > nowInSeconds(request)
}

export function asAccessToken(tokens: ProviderTokens): AccessToken {
  const { access_token = '', token_type = 'bearer', scope, expires_at } = tokens
  return {
    ok: true,
    accessToken: access_token,
    tokenType: token_type,
    ...(scope === undefined ? {} : { scope }),
    ...(expires_at === undefined ? {} : { expiresAt: expires_at }),
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
