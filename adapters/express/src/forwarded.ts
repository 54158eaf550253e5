import { AuthError, type WorkerAddress, WorkerUnavailable } from '@latchkey/session'
import type { Service, ServiceCall } from './service.js'
import { toRequestParts } from './to-request.js'

/** The Worker has this long for the beginning of an answer, the client's upload included. Milliseconds. */
const TIMEOUT = 15_000

/** The Worker gave an answer that is none. */
class BadGateway extends WorkerUnavailable {
  override readonly status = 502 as 503
}

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
    // It would be unpacked here and travel on as it is.
    headers.set('accept-encoding', 'identity')
    return decoded(await this.#fetch(url, init))
  }

  async #fetch(url: URL, init: RequestInit): Promise<Response> {
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(), TIMEOUT)
    const signal = AbortSignal.any([late.signal, ...(init.signal ? [init.signal] : [])])
    const options = { ...init, signal, redirect: 'manual' as const }
    try {
      const { address } = this
      return typeof address === 'string'
        ? await fetch(url, options)
        : await address.fetch(url.href, options)
    } catch (error) {
      const how = late.signal.aborted ? 'did not answer in time' : 'cannot be reached'
      throw new WorkerUnavailable(`The auth service ${how}.`, { cause: error })
    } finally {
      clearTimeout(timer)
    }
  }

  #misplaced(base: string): AuthError {
    return new AuthError(
      `MiddlewareAuth is mounted at ${base}, and the Worker serves ${this.#basePath}: mount it there, or set \`basePath\` to the Worker's.`,
    )
  }
}

/** `fetch` has unpacked the body already, and left the headers that say it is packed. */
function decoded(answer: Response): Response {
  if (answer.status < 200 || answer.type === 'opaqueredirect') {
    throw new BadGateway(`The auth service answered with status ${answer.status}.`)
  }
  if (!answer.headers.has('content-encoding')) return answer
  const headers = new Headers(answer.headers)
  headers.delete('content-encoding')
  headers.delete('content-length')
  const { status } = answer
  return new Response(answer.body, { status, headers })
}
