import type { Outcome } from '../../http/outcome.js'
import type { AuthRequest } from '../../http/request.js'
import { readDocument } from '../../person/documents.js'
import { mayAskFor } from './allowed-resources.js'
import { endGrants, keyOf } from './grant.js'
import { OAuthError } from './oauth-error.js'
import type { Parameters } from './parameters.js'
import { useRefreshToken } from './refresh.js'
import { openRefreshToken, type RefreshToken } from './refresh-token.js'
import type { App } from './settings.js'
import { answerTokens } from './token-answer.js'
import { accessAlgOf } from './tokens.js'

/**
 * Refreshes an access token (RFC 6749, section 6). A mistake in the request is found before the refresh token is used.
 *
 * @throws {OAuthError}
 * @throws {StoreUnavailable} the refresh token works afterwards
 */
export async function refreshGrant(
  request: AuthRequest,
  app: App,
  parameters: Parameters,
): Promise<Outcome> {
  const text = parameters.get('refresh_token')
  if (text === undefined) throw new OAuthError('invalid_request', 'Send a refresh_token.')
  const token = await openRefreshToken(request, app.id, text)
  if (!token) throw invalidToken()
  const resource = parameters.get('resource')
  if (resource !== undefined && resource !== token.resource) throw otherResource()
  if (token.resource !== request.issuer && !mayAskFor(app, token.resource)) {
    await endLost(request, token)
    throw invalidToken()
  }
  const alg = accessAlgOf(request, app, token.resource)
  if (!alg) throw otherResource()
  const asked = parameters.get('scope')?.split(' ').filter(Boolean)
  if (asked?.some((scope) => !token.scopes.includes(scope))) {
    throw new OAuthError('invalid_scope', 'The grant has not all of the scopes.')
  }
  const refreshed = await useRefreshToken(request, token)
  if (!refreshed) throw invalidToken()
  const { grant, refreshToken, staleUntil } = refreshed
  const scopes = asked ? grant.scopes.filter((scope) => asked.includes(scope)) : grant.scopes
  const granted = { ...grant, scopes, staleUntil }
  return answerTokens(request, alg, granted, { refresh_token: refreshToken })
}

/** The list of the app has lost the resource. One that is over has no document, and is not announced again. */
async function endLost(request: AuthRequest, { sub, handle }: RefreshToken): Promise<void> {
  const document = await readDocument(request, keyOf(sub, handle))
  if (typeof document?.content === 'string') await endGrants(request, sub, [handle])
}

function otherResource(): OAuthError {
  return new OAuthError('invalid_target', 'The refresh token is for another resource.')
}

function invalidToken(): OAuthError {
  return new OAuthError('invalid_grant', 'The refresh token is not valid, or its grant is over.')
}
