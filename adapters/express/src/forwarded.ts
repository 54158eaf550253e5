import { AuthError, type WorkerAddress } from '@latchkey/session'
import { askWorker } from '@latchkey/session/adapter'
import type { Service, ServiceCall } from './service.js'
import { toRequestParts } from './to-request.js'

/**
 * The auth service is a Worker. Requests are forwarded as they are; the Worker is told the app's public
 * origin, and believes it when the origin is in its `AUTH_TRUSTED_ORIGINS`.
 */
export class Forwarded implements Service {
  readonly address: WorkerAddress
  readonly #basePath: string

  /** @param basePath the Worker's own */
  constructor(address: WorkerAddress, basePath: string) {
    this.address = address
    this.#basePath = basePath
  }

  async answer(call: ServiceCall): Promise<Response> {
    const { req, origin, place } = call
    if (place.base !== this.#basePath) throw this.#misplaced(place.base)
    const { address } = this
    const target = typeof address === 'string' ? address : origin.origin + this.#basePath
    const { url, init } = toRequestParts(call, target)
    const { headers } = init
    headers.delete('content-length')
    headers.set('x-forwarded-host', origin.host)
    headers.set('x-forwarded-proto', origin.scheme)
    const { ip } = req as { ip?: unknown }
    if (typeof ip === 'string') headers.set('x-forwarded-for', ip)
    return askWorker(address, url, init)
  }

  #misplaced(base: string): AuthError {
    return new AuthError(
      `MiddlewareAuth is mounted at ${base}, and the Worker serves ${this.#basePath}: mount it there, or set \`basePath\` to the Worker's.`,
    )
  }
}
