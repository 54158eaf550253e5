import { InvalidConfiguration, StoreUnavailable, TooManyRefreshes } from '../../../errors.js'
import { readBody } from '../../../http/body.js'
import { logEvent } from '../../../http/log-event.js'
import { tryOperatorKey } from '../../../http/network-limit.js'
import { json, type Outcome } from '../../../http/outcome.js'
import { type AuthRequest, isJson } from '../../../http/request.js'
import { BadRequest } from '../../../lib/bad-request.js'
import { WrongArgument } from '../../../lib/wrong-argument.js'
import type { Route } from '../../../service/request-hooks.js'
import type { OperateSettings } from '../settings.js'
import { findOperatorKey, type OperatorKey } from './keys.js'
import { type OperatorMethod, operatorMethod } from './method.js'

/**
 * POST /operator/<method>: the methods for the operator, for the keys of `AUTH_OPERATOR_KEYS`. It reads no cookie, and the
 * address names no person. It checks in the order of this code, so that a stranger without a key learns nothing.
 */
export const operatorApi: Route = {
  isThere: (request) => keysOf(request).length > 0,
  isData: true,
  async every(request, name) {
    if (request.method !== 'POST') return { kind: 'not-allowed', allow: 'POST' }
    const authorization = request.original.headers.get('authorization')
    const key = await findOperatorKey(keysOf(request), authorization ?? '')
    if (!key) return withoutKey(request, authorization !== null)
    const method = operatorMethod(request.features.methods, name)
    if (!method) return NOT_FOUND
    request.operator = key.name
    if (method.scope === 'manage' && key.scope !== 'manage') {
      await logEvent(request, { event: 'operator-refused', method: name })
      return json({ error: 'ScopeRequired', scope: method.scope }, 403)
    }
    try {
      const args = await argumentsOf(request, method)
      return args instanceof Error ? badRequest(args) : await run(request, name, args)
    } catch (error) {
      if (error instanceof BadRequest) return badRequest(error, error.status)
      throw error
    }
  },
}

/** Its answer is only for a request that has a key. */
const NOT_FOUND = json({ error: 'NotFound' }, 404)

function keysOf({ features }: AuthRequest): readonly OperatorKey[] {
  // A path of a feature that is off is not asked.
  return (features.settings('operate') as Pick<OperateSettings, 'keys'>).keys
}

/**
 * One answer for every wrong key. Only wrong keys count, in this process: a guess costs no call, and a key that is right is
 * not refused for guesses of others.
 */
async function withoutKey(request: AuthRequest, isGuess: boolean): Promise<Outcome> {
  const wait = isGuess ? (await tryOperatorKey(request)).wait : 0
  if (wait > 0) return refusal('TooManyAttempts', 429, { 'retry-after': String(wait) })
  // RFC 6750, section 3.
  return refusal('OperatorKeyRequired', 401, { 'www-authenticate': 'Bearer' })
}

function refusal(
  error: string,
  status: number,
  headers: Readonly<Record<string, string>>,
): Outcome {
  return { kind: 'json', body: { error }, status, headers }
}

/** @returns what is wrong with a member @throws {BadRequest} there is no JSON object */
async function argumentsOf(
  request: AuthRequest,
  { read }: OperatorMethod,
): Promise<unknown[] | TypeError> {
  if (!isJson(request, 'content-type')) throw new BadRequest(415, 'Send JSON.')
  const body = await readBody(request.original)
  try {
    return read(body)
  } catch (error) {
    if (error instanceof TypeError) return error
    throw error
  }
}

function badRequest({ message }: Error, status = 400): Outcome {
  return json({ error: 'BadRequest', message }, status)
}

async function run(request: AuthRequest, name: string, args: readonly unknown[]): Promise<Outcome> {
  try {
    const result = await request.features.operate(request, name, args)
    return json({ result: result ?? null })
  } catch (error) {
    // Its feature is off or not there.
    if (error instanceof InvalidConfiguration) return NOT_FOUND
    if (error instanceof WrongArgument) return badRequest(error)
    if (error instanceof TooManyRefreshes) {
      return refusal(error.type, 429, { 'retry-after': String(error.retryAfter) })
    }
    if (!(error instanceof StoreUnavailable)) throw error
    request.config.logger.error(error)
    return json({ error: 'Unavailable' }, 503)
  }
}
