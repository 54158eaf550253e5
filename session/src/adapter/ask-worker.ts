import { type WorkerAddress, WorkerUnavailable } from '../verifier/worker-client.js'

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
export async function askWorker(
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
