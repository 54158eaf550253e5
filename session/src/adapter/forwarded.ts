import { AuthError } from '../internal/errors.js'
import { type WorkerAddress, WorkerUnavailable } from '../verifier/worker-client.js'
import type { Service, ServiceCall } from './service.js'

/**
 * The auth service is a Worker. Requests are forwarded as they are; the Worker is told the app's public
 * origin, and believes it when the origin is in its `AUTH_TRUSTED_ORIGINS`.
 */
export class Forwarded implements Service {
  readonly #address: WorkerAddress
  readonly #basePath: string
  readonly #name: string

  /**
   * @param basePath the Worker's own
   * @param name what mounts the auth routes, for who has mounted them elsewhere
   */
  constructor(address: WorkerAddress, basePath: string, name: string) {
    this.#address = address
    this.#basePath = basePath
    this.#name = name
  }

  address(): WorkerAddress {
    return this.#address
  }

  async answer({ base, route, init, origin, client }: ServiceCall): Promise<Response> {
    if (base !== this.#basePath) throw this.#misplaced(base)
    const address = this.#address
    const { headers } = init
    headers.delete('content-length')
    headers.set('x-forwarded-host', origin.host)
    headers.set('x-forwarded-proto', origin.scheme)
    const isUrl = typeof address === 'string'
    if (client !== undefined) {
      headers.set('x-forwarded-for', client)
      // A Worker that is bound to this one is not behind Cloudflare's own edge.
      if (!isUrl) headers.set('cf-connecting-ip', client)
    }
    const target = isUrl ? address : origin.origin + base
    return askWorker(address, new URL(target + route), init)
  }

  #misplaced(base: string): AuthError {
    return new AuthError(
      `${this.#name} is mounted at ${base}, and the Worker serves ${this.#basePath}: mount it there, or set \`basePath\` to the Worker's.`,
    )
  }
}

/** The Worker has this long for the beginning of an answer, the client's upload included. Milliseconds. */
const TIMEOUT = 15_000

/** The Worker gave an answer that is none. */
class BadGateway extends WorkerUnavailable {
  override readonly status = 502 as 503
}

/**
 * Hands a request over to the Worker, which has 15 seconds to begin its answer. Redirects are the
 * browser's to follow.
 *
 * @throws {WorkerUnavailable} with `status` 503 when it is silent, and 502 when its answer is none
 */
async function askWorker(
  address: WorkerAddress,
  url: URL,
  init: RequestInit & { readonly headers: Headers },
): Promise<Response> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), TIMEOUT)
  const signal = AbortSignal.any([late.signal, ...(init.signal ? [init.signal] : [])])
  // It would be unpacked here and travel on as it is.
  init.headers.set('accept-encoding', 'identity')
  const options = { ...init, signal, redirect: 'manual' as const }
  try {
    const answer =
      typeof address === 'string'
        ? await fetch(url, options)
        : await address.fetch(url.href, options)
    return decoded(answer)
  } catch (error) {
    if (error instanceof BadGateway) throw error
    const how = late.signal.aborted ? 'did not answer in time' : 'cannot be reached'
    throw new WorkerUnavailable(`The auth service ${how}.`, { cause: error })
  } finally {
    clearTimeout(timer)
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
