import type { TokenSet } from '../../types.js'
import { asCallbackError, ProviderRefusal } from '../failure.js'
import { readTokenAnswer, requestAsClient } from './client.js'
import type { Connection } from './connection.js'

/**
 * New tokens for a refresh token (RFC 6749, section 6). An ID token in the answer is dropped, since
 * a refresh does not sign in.
 *
 * @throws {OAuthCallbackError} its cause has the provider's `error`: `invalid_grant` is final
 */
export async function refreshTokens(
  connection: Connection,
  refreshToken: string,
): Promise<TokenSet> {
  const { provider, server, now } = connection
  const secrets: unknown[] = []
  try {
    const parameters = { grant_type: 'refresh_token', refresh_token: refreshToken }
    const answer = await requestAsClient(
      connection,
      server.token_endpoint ?? '',
      parameters,
      secrets,
    )
    const { id_token: _, ...tokens } = await readTokenAnswer(answer, Math.floor(now / 1000))
    return tokens
  } catch (error) {
    throw asCallbackError(provider.id, error, secrets)
  }
}

/**
 * Revokes the provider's grant (RFC 7009). Does nothing if there is no such endpoint.
 *
 * @throws {OAuthCallbackError}
 */
export async function revokeTokens(
  connection: Connection,
  tokens: Pick<TokenSet, 'access_token' | 'refresh_token'>,
): Promise<void> {
  const { provider, server } = connection
  const { access_token, refresh_token = access_token } = tokens
  const token = provider.revokes === 'access_token' ? access_token : refresh_token
  if (server.revocation_endpoint === undefined || token === undefined) return
  const secrets: unknown[] = []
  try {
    const answer = await requestAsClient(connection, server.revocation_endpoint, { token }, secrets)
    // Errors may have status 200 here too.
    const body = (await answer.json().catch(() => ({}))) as Record<string, unknown> | null
    if (!answer.ok || body?.error) throw new ProviderRefusal(answer.status, body ?? {})
  } catch (error) {
    throw asCallbackError(provider.id, error, secrets)
  }
}
