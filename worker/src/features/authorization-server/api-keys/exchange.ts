import type { Outcome } from '../../../http/outcome.js'
import type { AuthRequest } from '../../../http/request.js'
import { OAuthError } from '../oauth-error.js'
import type { Parameters } from '../parameters.js'

/** Exchanges an API key for an access token, without a client (RFC 8693). @throws {OAuthError} */
export async function exchangeKey(
  _request: AuthRequest,
  _parameters: Parameters,
): Promise<Outcome> {
  throw new OAuthError('unsupported_grant_type', 'This grant_type is not offered here.')
}
