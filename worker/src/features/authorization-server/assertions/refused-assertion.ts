import { type AuthRequest, nowInSeconds } from '../../../http/request.js'
import { OAuthError } from '../oauth-error.js'

/** Why an assertion does not count. Only the log says it. */
export type AssertionFault =
  | 'malformed'
  | 'type'
  | 'alg'
  | 'issuer'
  | 'subject'
  | 'audience'
  | 'client'
  | 'times'
  | 'jti'
  | 'resource'
  | 'scope'
  | 'confirmation'
  | 'claims'
  | 'signature'
  | 'used'
  | 'person'
  | 'ended'

/** The most lines of the log in a minute. */
const MAX_LINES = 10

/** Thrown for every assertion that does not count, with one answer for all faults: an attacker who makes one up learns nothing. */
export class RefusedAssertion extends OAuthError {
  readonly fault: AssertionFault

  constructor(fault: AssertionFault) {
    super('invalid_grant', 'The assertion is not valid here.')
    this.fault = fault
  }
}

/** Logs why an assertion does not count, without any part of it. */
export async function logRefused(
  request: AuthRequest,
  app: string,
  fault: AssertionFault,
): Promise<void> {
  const now = nowInSeconds(request)
  const { wait } = await request.counts.admit('assertion-refused', MAX_LINES, now)
  if (wait === 0) request.config.logger.warn('assertion-refused', `${app}: ${fault}`)
}

/** Does work with an assertion, and logs why it was refused. */
export async function loggingRefusal<Result>(
  request: AuthRequest,
  app: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof RefusedAssertion) await logRefused(request, app, error.fault)
    throw error
  }
}
