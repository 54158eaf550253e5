import type { Outcome } from '../../http/outcome.js'
import type { AuthRequest } from '../../http/request.js'
import { exchangeKey } from './api-keys/exchange.js'
import { authenticateClient } from './client-authentication.js'
import { pollDevice } from './devices/poll.js'
import { exchangeCode } from './exchange-code.js'
import { answering, unlessTooMany } from './oauth-answer.js'
import { OAuthError } from './oauth-error.js'
import { formParameters, type Parameters } from './parameters.js'
import { refreshGrant } from './refresh-grant.js'
import { type App, type Server, serverOf } from './settings.js'

type GrantType = (request: AuthRequest, app: App, parameters: Parameters) => Promise<Outcome>

/** RFC 8628, 3.4. */
const DEVICE_CODE = 'urn:ietf:params:oauth:grant-type:device_code'
/** RFC 8693, 2.1. */
const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'

/** The token endpoint (RFC 6749, 3.2). */
export function token(request: AuthRequest): Promise<Outcome> {
  return answering(request, async () => {
    const parameters = await formParameters(request)
    const server = serverOf(request)
    const type = parameters.get('grant_type')
    if (type === undefined) throw new OAuthError('invalid_request', 'Send a grant_type.')
    // An API key proves itself, and belongs to no app. It is counted by itself.
    if (type === TOKEN_EXCHANGE) {
      if (!server.keys) throw notOffered()
      return exchangeKey(request, parameters)
    }
    return unlessTooMany(request, async () => {
      const app = await authenticateClient(request, parameters)
      const answer = grantType(server, type)
      if (!answer) throw notOffered()
      return answer(request, app, parameters)
    })
  })
}

function grantType({ hasDevices }: Server, type: string): GrantType | undefined {
  if (type === 'authorization_code') return exchangeCode
  if (type === 'refresh_token') return refreshGrant
  return type === DEVICE_CODE && hasDevices ? pollDevice : undefined
}

function notOffered(): OAuthError {
  return new OAuthError('unsupported_grant_type', 'This grant_type is not offered here.')
}
