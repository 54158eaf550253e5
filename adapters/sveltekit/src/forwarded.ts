import type { WorkerAddress } from '@latchkey/session'
import { askWorker } from '@latchkey/session/adapter'
import { initOf, type Service, type ServiceCall } from './service.js'

/**
 * The auth service is a Worker. Requests are forwarded as they are; the Worker is told the app's public
 * origin, and believes it when the origin is in its `AUTH_TRUSTED_ORIGINS`.
 */
export class Forwarded implements Service {
  readonly address: WorkerAddress
  readonly #basePath: string

  constructor(address: WorkerAddress, basePath: string) {
    this.address = address
    this.#basePath = basePath
  }

  answer(call: ServiceCall): Promise<Response> {
    const { address } = this
    const { origin, client, route } = call
    const isUrl = typeof address === 'string'
    const init = initOf(call)
    init.headers.delete('content-length')
    init.headers.set('x-forwarded-host', origin.host)
    init.headers.set('x-forwarded-proto', origin.scheme)
    if (client !== undefined) {
      init.headers.set('x-forwarded-for', client)
      // A Worker that is bound to this one is not behind Cloudflare's own edge.
      if (!isUrl) init.headers.set('cf-connecting-ip', client)
    }
    const target = isUrl ? address : origin.origin + this.#basePath
    return askWorker(address, new URL(target + route), init)
  }
}
