import type { Outcome } from '../../http/outcome.js'
import type { AuthRequest } from '../../http/request.js'
import { authenticateClient } from './client-authentication.js'
import { exchangeCode } from './exchange-code.js'
import { answerProgram } from './oauth-answer.js'
import { OAuthError } from './oauth-error.js'
import { formParameters, type Parameters } from './parameters.js'
import { refreshGrant } from './refresh-grant.js'
import type { App } from './settings.js'

type GrantType = (request: AuthRequest, app: App, parameters: Parameters) => Promise<Outcome>

const GRANT_TYPES: Readonly<Record<string, GrantType>> = {
  authorization_code: exchangeCode,
  refresh_token: refreshGrant,
}

/** The token endpoint (RFC 6749, 3.2). */
export function token(request: AuthRequest): Promise<Outcome> {
  return answerProgram(request, async () => {
    const parameters = await formParameters(request)
    const type = parameters.get('grant_type')
    if (type === undefined) throw new OAuthError('invalid_request', 'Send a grant_type.')
    const app = await authenticateClient(request, parameters)
    const answer = Object.hasOwn(GRANT_TYPES, type) ? GRANT_TYPES[type] : undefined
    if (!answer) {
      throw new OAuthError('unsupported_grant_type', 'This grant_type is not offered here.')
    }
    return answer(request, app, parameters)
  })
}
