import type { Outcome } from '../../../http/outcome.js'
import { type AuthRequest, nowInSeconds } from '../../../http/request.js'
import { beginGrant, tryGrant } from '../grant.js'
import { OAuthError } from '../oauth-error.js'
import type { Parameters } from '../parameters.js'
import type { App } from '../settings.js'
import { answerGrant } from '../token-answer.js'
import { accessAlgOf } from '../tokens.js'
import { openDeviceCode } from './device-code.js'
import { Intervals } from './intervals.js'
import { hasEnded, isForgotten, readDevice } from './waiting-device.js'

const intervals = new Intervals()

/** Questions of one device in a minute that this process takes to the ledger. A device has twelve. */
const MAX_POLLS = 60

/**
 * Answers a device that asks whether its person has decided (RFC 8628, 3.4 and 3.5), with one call of the ledger and no row.
 *
 * @throws {OAuthError}
 * @throws {StoreUnavailable} the device asks again
 */
export async function pollDevice(
  request: AuthRequest,
  app: App,
  parameters: Parameters,
): Promise<Outcome> {
  const text = parameters.get('device_code')
  if (text === undefined) throw new OAuthError('invalid_request', 'Send a device_code.')
  const code = await openDeviceCode(request, text)
  if (!app.isDevice || code?.app !== app.id) {
    throw new OAuthError('invalid_grant', 'The device_code is not valid here.')
  }
  const { home } = code
  const now = nowInSeconds(request)
  if (isForgotten(code, now)) throw ended()
  const { wait } = await request.counts.admit(`poll:${home}`, MAX_POLLS, now)
  if (wait > 0) throw tooOften()
  const read = await readDevice(request, home)
  const { state, authorization } = read?.device ?? {}
  if (state === 'denied') throw new OAuthError('access_denied', 'The person said no.')
  const alg = accessAlgOf(request, app, read?.device.resource ?? '')
  if (authorization && alg) {
    const many = await tryGrant(request, authorization)
    if (many.wait > 0) throw tooOften()
    const beginning = await beginGrant(request, authorization)
    if (beginning.state !== 'begun') many.takeBack()
    if (beginning.state === 'begun') {
      intervals.forget(home)
      return answerGrant(request, app, alg, authorization, beginning.grant)
    }
    throw new OAuthError('invalid_grant', 'The device_code was used, or its session has ended.')
  }
  if (!read || !alg || hasEnded(request, code)) {
    throw ended()
  }
  if (intervals.isTooEarly(home, now)) throw tooOften()
  throw new OAuthError('authorization_pending', 'The person has not decided yet.')
}

function ended(): OAuthError {
  return new OAuthError('expired_token', 'The device_code has ended. Begin again.')
}

function tooOften(): OAuthError {
  return new OAuthError('slow_down', 'Ask five seconds less often from now on.')
}
