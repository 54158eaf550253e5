import type { WorkerAddress } from '@latchkey/session'
import type { Environment } from '../shared/environment.js'
import type { LoadStore, ServiceStore } from '../shared/named-store.js'
import type { ClientAddress } from './client-address.js'
import type { WaitUntil } from './host-request.js'
import type { PublicOrigin } from './origins.js'

/** The service that answers the auth routes. */
export interface Service {
  /** Loads its code, if it runs in this process, and has it name what its configuration lacks. */
  load?(): Promise<void>
  /** @throws {WorkerUnavailable} */
  answer(call: ServiceCall): Promise<Response>
  /** The same for the verifier, which asks for keys, ended sessions and renewals. */
  address(waitUntil: WaitUntil | undefined): WorkerAddress
}

/** One request to the service. */
export interface ServiceCall extends ClientAddress {
  /** The base path, such as `/auth`. */
  readonly base: string
  /** Below the base path, with its query: `/signin/github`. */
  readonly route: string
  /** The headers are end to end; those that describe the client are added. */
  readonly init: RequestInit & { readonly headers: Headers }
  readonly origin: PublicOrigin
  readonly waitUntil: WaitUntil | undefined
}

/**
 * The used part of the service's package. That package is above this one, so an adapter passes it
 * in.
 *
 * @example createHost({ name: 'authHandler', service: inProcess(() => import('@latchkey/worker')) })
 */
export interface ServicePackage {
  /** The service gets the adapter's configurations, whose type is unknown here. */
  createAuth(source: (env: object, request: Request) => never): {
    fetch(request: Request, env: Environment, ctx?: { waitUntil: WaitUntil }): Promise<Response>
  }
  memoryStore(): ServiceStore
  /**
   * Loads the store that `AUTH_STORE` names. No bundler may follow this import: a Worker has no such store.
   *
   * @example loadStore: (kind) => import(`@latchkey/worker/stores/${kind}`)
   */
  readonly loadStore: LoadStore
}
