import type { WorkerAddress } from '@latchkey/session'
import type { PublicOrigin } from '@latchkey/session/adapter'
import type { Place } from './mount.js'
import type { ExpressRequest, ExpressResponse } from './types.js'

/** Whoever answers the auth routes. */
export interface Service {
  /** @throws {WorkerUnavailable} */
  answer(call: ServiceCall): Promise<Response>
  /** The same for the verifier, which asks for keys, ended sessions and renewals. */
  readonly address: WorkerAddress
}

/** One request for an auth route. */
export interface ServiceCall {
  readonly req: ExpressRequest
  readonly res: ExpressResponse
  readonly place: Place
  readonly origin: PublicOrigin
}
