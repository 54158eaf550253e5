import type { OriginFault } from './origins.js'

/** A request that is refused, and what its client may be told. */
export class Refusal extends Error {
  override name = 'Refusal'
  /** The HTTP status. */
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** Of a request whose origin cannot be told. */
export const REFUSALS: Readonly<Record<OriginFault, string>> = {
  malformed: 'Malformed Host or X-Forwarded header.',
  'unknown-host': 'Sign-in is not available under this host name.',
}
