import type { Outcome } from '../../http/outcome.js'
import type { AuthRequest } from '../../http/request.js'
import { exchangeKey } from './api-keys/exchange.js'
import { idJagGrant } from './assertions/id-jag-grant.js'
import { asClient } from './client-authentication.js'
import { pollDevice } from './devices/poll.js'
import { exchangeCode } from './exchange-code.js'
import { lookSometimes } from './logout/deliver.js'
import { machineGrant } from './machines/machine-token.js'
import { workloadAppOf, workloadGrant } from './machines/workload-grant.js'
import { answering, unlessTooMany } from './oauth-answer.js'
import { OAuthError } from './oauth-error.js'
import { formParameters, type Parameters } from './parameters.js'
import { refreshGrant } from './refresh-grant.js'
import { type App, JWT_BEARER, type Server, serverOf, takesAssertions } from './settings.js'

type GrantType = (request: AuthRequest, app: App, parameters: Parameters) => Promise<Outcome>

/** RFC 8628, 3.4. */
const DEVICE_CODE = 'urn:ietf:params:oauth:grant-type:device_code'
/** RFC 8693, 2.1. */
const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'
/** RFC 6749, 4.4.2. */
const CLIENT_CREDENTIALS = 'client_credentials'

/** The token endpoint (RFC 6749, 3.2). */
export function token(request: AuthRequest): Promise<Outcome> {
  lookSometimes(request)
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
      const answer = grantType(server, type)
      // The token of a job proves itself.
      const machine = answer === idJagGrant ? workloadAppOf(request, parameters) : undefined
      if (machine) return workloadGrant(request, machine, parameters)
      return asClient(request, parameters, (app) => {
        if (!answer) throw notOffered()
        // A machine acts for nobody, and nobody but a machine acts for itself.
        if ((app.isMachine === true) !== (type === CLIENT_CREDENTIALS)) throw notForApp()
        return answer(request, app, parameters)
      })
    })
  })
}

function grantType(server: Server, type: string): GrantType | undefined {
  const { hasDevices, hasMachines } = server
  if (type === 'authorization_code') return exchangeCode
  if (type === 'refresh_token') return refreshGrant
  if (type === CLIENT_CREDENTIALS && hasMachines) return machineGrant
  if (type === JWT_BEARER && takesAssertions(server)) return idJagGrant
  return type === DEVICE_CODE && hasDevices ? pollDevice : undefined
}

function notForApp(): OAuthError {
  return new OAuthError('unauthorized_client', 'The app may not use this grant_type.')
}

function notOffered(): OAuthError {
  return new OAuthError('unsupported_grant_type', 'This grant_type is not offered here.')
}
