import { AuthError, type WorkerAddress, WorkerUnavailable } from '@latchkey/session'
import type { PublicOrigin } from './origins.js'
import type { Prover } from './prover.js'
import type { Service, ServiceCall } from './service.js'

/**
 * The auth service is a Worker. Requests are forwarded unchanged; the Worker gets the app's public
 * origin, and accepts it when that is in its `AUTH_TRUSTED_ORIGINS`, or proved.
 */
export class ForwardingService implements Service {
  readonly #address: WorkerAddress
  readonly #basePath: string
  readonly #name: string
  readonly #prover: Prover

  /**
   * @param basePath the Worker's own
   * @param name the adapter's function, for the error about a mount at another path
   */
  constructor(address: WorkerAddress, basePath: string, name: string, prover: Prover) {
    this.#address = address
    this.#basePath = basePath
    this.#name = name
    this.#prover = prover
  }

  address(): WorkerAddress {
    return this.#address
  }

  async answer({ base, route, init, origin, client, isProxy }: ServiceCall): Promise<Response> {
    if (base !== this.#basePath) throw this.#misplaced(base)
    const address = this.#address
    const { headers } = init
    headers.delete('content-length')
    headers.set('x-forwarded-host', origin.host)
    headers.set('x-forwarded-proto', origin.scheme)
    const isUrl = typeof address === 'string'
    if (client !== undefined) {
      headers.set('x-forwarded-for', client)
      // A request over a service binding does not pass Cloudflare's edge, which would set this
      // header.
      if (!isUrl) headers.set('cf-connecting-ip', client)
    }
    const url = new URL((isUrl ? address : origin.origin + base) + route)
    // Only the bound Worker can call over a service binding.
    if (isUrl) {
      const visitor = isProxy ? undefined : client
      await this.#prover.sign(url, init, { origin: provable(origin), client: visitor })
    }
    return askWorker(isUrl ? this.#prover : address, url, init)
  }

  #misplaced(base: string): AuthError {
    return new AuthError(
      `${this.#name} is mounted at ${base}, and the Worker serves ${this.#basePath}: mount it there, or set \`basePath\` to the Worker's.`,
    )
  }
}

/** If anyone may have written the Host, the Worker must judge by its own list. */
function provable({ origin, standing }: PublicOrigin): string | undefined {
  return standing === 'named' ? origin : undefined
}

/**
 * The deadline for the beginning of the Worker's answer, the client's upload included.
 * Milliseconds.
 */
const TIMEOUT = 15_000

/** The Worker gave an invalid answer. */
class BadGateway extends WorkerUnavailable {
  override readonly status = 502 as 503
}

/**
 * Forwards a request to the Worker, which has 15 seconds to begin its answer. Redirects are passed
 * to the browser.
 *
 * @throws {WorkerUnavailable} with `status` 503 when there is no answer, and 502 when it is invalid
 */
async function askWorker(
  address: Exclude<WorkerAddress, string>,
  url: URL,
  init: RequestInit & { readonly headers: Headers },
): Promise<Response> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), TIMEOUT)
  const signal = AbortSignal.any([late.signal, ...(init.signal ? [init.signal] : [])])
  // Compression is useless: `fetch` would decompress the answer before it is passed on.
  init.headers.set('accept-encoding', 'identity')
  const options = { ...init, signal, redirect: 'manual' as const }
  try {
    return decoded(await address.fetch(url.href, options))
  } catch (error) {
    if (error instanceof BadGateway) throw error
    const how = late.signal.aborted ? 'did not answer in time' : 'cannot be reached'
    throw new WorkerUnavailable(`The auth service ${how}.`, { cause: error })
  } finally {
    clearTimeout(timer)
  }
}

/** `fetch` has already decompressed the body, but left the headers of a compressed one. */
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
