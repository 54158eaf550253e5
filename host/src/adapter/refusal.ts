import type { OriginFault } from './origins.js'

/** A refused request, with a message for its client. */
export class Refusal extends Error {
  override name = 'Refusal'
  /** The HTTP status. */
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** The messages for a request without a valid origin. */
export const REFUSALS: Readonly<Record<OriginFault, string>> = {
  malformed: 'Malformed Host or X-Forwarded header.',
  'unknown-host': 'Sign-in is not available under this host name.',
}
