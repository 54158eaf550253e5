import type { AuthRequest } from '../../../http/request.js'
import { warnRarely } from '../../../http/warn-rarely.js'
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

/** Thrown for every assertion that does not count, with one answer for all faults: an attacker who makes one up learns nothing. */
export class RefusedAssertion extends OAuthError {
  readonly fault: AssertionFault

  constructor(fault: AssertionFault) {
    super('invalid_grant', 'The assertion is not valid here.')
    this.fault = fault
  }
}

/** Logs why an assertion does not count, without any part of it. */
export function logRefused(
  request: AuthRequest,
  app: string,
  fault: AssertionFault,
): Promise<void> {
  return warnRarely(request, 'assertion-refused', `${app}: ${fault}`)
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
