import { StoreUnavailable } from '../../../errors.js'
import { clientNetwork } from '../../../http/network.js'
import type { Outcome } from '../../../http/outcome.js'
import { type AuthRequest, nowInSeconds } from '../../../http/request.js'
import { grantableScopes, publicProblem, resourceIn } from '../authorization-request.js'
import { asClient } from '../client-authentication.js'
import { answerProgram, tooMany } from '../oauth-answer.js'
import { OAuthError, type OAuthErrorCode } from '../oauth-error.js'
import { formParameters, type Parameters } from '../parameters.js'
import { type App, serverOf } from '../settings.js'
import { NO_STORE } from '../token-answer.js'
import { sealDeviceCode } from './device-code.js'
import { INTERVAL } from './intervals.js'
import { drawUserCode, homeOfCode, spaced } from './user-code.js'
import { beginDevice, LIFE } from './waiting-device.js'

/** Devices of one network in a minute, which this process counts. Each is two rows of the ledger. */
const STARTS = 30
/** The same for all clients together whose network is not known. */
const STARTS_OF_UNKNOWN = 300

/** How often another code is drawn, if a device waits with it already: of 25 billion codes few do. */
const TRIES = 3

/** POST /oauth/device: a device asks for a code that its person types elsewhere (RFC 8628, 3.1). */
export function startDevice(request: AuthRequest): Promise<Outcome> {
  return answerProgram(request, async () => {
    const parameters = await formParameters(request)
    return asClient(request, parameters, (app) => startFor(request, app, parameters))
  })
}

async function startFor(request: AuthRequest, app: App, parameters: Parameters): Promise<Outcome> {
  if (!app.isDevice) {
    throw new OAuthError('unauthorized_client', 'The app may not use the device grant.')
  }
  const network = clientNetwork(request)
  const max = network === undefined ? STARTS_OF_UNKNOWN : STARTS
  const name = `device:${network ?? 'anywhere'}`
  const { wait } = await request.counts.admit(name, max, nowInSeconds(request))
  if (wait > 0) return tooMany(request, wait)
  const asked = askedIn(request, app, parameters)
  const ends = nowInSeconds(request) + LIFE
  const pending = { ...asked, app: app.id, ends, state: 'pending' } as const
  for (let tries = 0; tries < TRIES; tries++) {
    const code = drawUserCode()
    const home = await homeOfCode(request, code)
    if (!(await beginDevice(request, home, pending))) continue
    return answer(request, code, await sealDeviceCode(request, { app: app.id, home, ends }))
  }
  throw new StoreUnavailable('No code for a device was free.')
}

function answer({ issuer }: AuthRequest, code: string, deviceCode: string): Outcome {
  const verification = `${issuer}/device`
  const body = {
    device_code: deviceCode,
    user_code: spaced(code),
    verification_uri: verification,
    verification_uri_complete: `${verification}?user_code=${spaced(code)}`,
    expires_in: LIFE,
    interval: INTERVAL,
  }
  return { kind: 'json', body, headers: NO_STORE }
}

/** @throws {OAuthError} `invalid_target`, `invalid_scope` */
function askedIn(request: AuthRequest, app: App, parameters: Parameters) {
  const server = serverOf(request)
  const resource = resourceIn(server, request.issuer, app, parameters)
  const found =
    typeof resource === 'object'
      ? resource.problem
      : grantableScopes(server, app, resource, parameters.get('scope'))
  if (typeof found !== 'string') return { resource: resource as string, scopes: found }
  const { error, error_description } = publicProblem(found)
  throw new OAuthError(error as OAuthErrorCode, error_description)
}
