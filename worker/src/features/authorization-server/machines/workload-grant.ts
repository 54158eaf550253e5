import { StoreUnavailable } from '../../../errors.js'
import { keysAddressOf } from '../../../http/issuer-keys.js'
import type { Outcome } from '../../../http/outcome.js'
import { ASYMMETRIC, verifyByKeysAt } from '../../../http/published-keys.js'
import {
  isForAlone,
  isOfType,
  jtiOf,
  type Lifetime,
  lifetimeOf,
  type ReadJwt,
  readJwt,
} from '../../../http/read-jwt.js'
import { type AuthRequest, nowInSeconds } from '../../../http/request.js'
import { loggingRefusal, RefusedAssertion } from '../assertions/refused-assertion.js'
import { usingJti } from '../assertions/used-jti.js'
import { hasProof } from '../client-authentication.js'
import { findApp } from '../find-app.js'
import { keySourceOf } from '../key-set.js'
import { OAuthError } from '../oauth-error.js'
import type { Parameters } from '../parameters.js'
import type { App } from '../settings.js'
import { answerMachine, askedByMachine, checkMachine } from './machine-token.js'
import { areMatching, type Workload } from './read-workloads.js'

/** The longest life of a token of a job. Seconds. */
const MAX_LIFE = 24 * 60 * 60

/** A machine with jobs elsewhere that a request names, without any credential of the machine itself. */
export function workloadAppOf(request: AuthRequest, parameters: Parameters): App | undefined {
  const id = parameters.get('client_id')
  const app = id === undefined || hasProof(request, parameters) ? undefined : findApp(request, id)
  return app?.workloads ? app : undefined
}

/**
 * A job at another issuer asks for a token of the machine, and shows the token that the issuer gave it (RFC 7523, 2.1). Its claims
 * have to match every rule of one of the app's workloads.
 *
 * @throws {OAuthError} `invalid_grant`, the same for whatever is wrong
 * @throws {StoreUnavailable} the token of the job counts afterwards
 */
export async function workloadGrant(
  request: AuthRequest,
  app: App,
  parameters: Parameters,
): Promise<Outcome> {
  const text = parameters.get('assertion')
  if (text === undefined) throw new OAuthError('invalid_request', 'Send an assertion.')
  return loggingRefusal(request, app.id, async () => {
    const { assertion, workload, lifetime } = judged(request, app, readJwt(text))
    await checkSignature(request, workload, assertion)
    const asked = askedByMachine(request, app, parameters)
    const jti = jtiOf(assertion)
    if (!workload.isReused && jti === undefined) throw new RefusedAssertion('jti')
    const iat = await checkMachine(request, app)
    const answer = () => answerMachine(request, app, asked, iat)
    if (workload.isReused || jti === undefined) return answer()
    const used = { of: `issuer ${workload.issuer}`, jti, exp: lifetime.exp }
    return usingJti(request, used, () => new RefusedAssertion('used'), answer)
  })
}

/** Everything that needs no key. @throws {RefusedAssertion} */
function judged(
  request: AuthRequest,
  app: App,
  assertion: ReadJwt | undefined,
): { readonly assertion: ReadJwt; readonly workload: Workload; readonly lifetime: Lifetime } {
  if (!assertion) throw new RefusedAssertion('malformed')
  const { claims, header } = assertion
  if (!isOfType(assertion, ['jwt', undefined])) throw new RefusedAssertion('type')
  if (!ASYMMETRIC.has(header.alg as string)) throw new RefusedAssertion('alg')
  const ofIssuer = app.workloads?.filter(({ issuer }) => issuer === claims.iss) ?? []
  if (ofIssuer.length === 0) throw new RefusedAssertion('issuer')
  const lifetime = lifetimeOf(assertion, nowInSeconds(request))
  if (lifetime?.iat === undefined || lifetime.exp - lifetime.iat > MAX_LIFE) {
    throw new RefusedAssertion('times')
  }
  const forUs = ofIssuer.filter(({ audience = request.issuer }) => isForAlone(assertion, audience))
  if (forUs.length === 0) throw new RefusedAssertion('audience')
  const workload = forUs.find((one) => areMatching(claims, one))
  if (!workload) throw new RefusedAssertion('claims')
  return { assertion, workload, lifetime }
}

/** @throws {RefusedAssertion} @throws {StoreUnavailable} the keys of the issuer cannot be read now */
async function checkSignature(
  request: AuthRequest,
  { issuer, jwksUri }: Workload,
  { text, header }: ReadJwt,
): Promise<void> {
  const source = keySourceOf(request)
  const address = jwksUri ?? (await keysAddressOf(issuer, source))
  await verifyByKeysAt({ address, ...source }, text, [header.alg as string]).catch(refuse)
}

function refuse(error: unknown): never {
  if (error instanceof StoreUnavailable) throw error
  throw new RefusedAssertion('signature')
}
