import type { Outcome } from '../../../http/outcome.js'
import type { AuthRequest } from '../../../http/request.js'
import { OAuthError } from '../oauth-error.js'
import type { Parameters } from '../parameters.js'
import type { App } from '../settings.js'

/** Answers a device that asks whether its person has decided (RFC 8628, 3.4). @throws {OAuthError} */
export async function pollDevice(
  _request: AuthRequest,
  _app: App,
  _parameters: Parameters,
): Promise<Outcome> {
  throw new OAuthError('unsupported_grant_type', 'This grant_type is not offered here.')
}
