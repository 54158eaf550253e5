import { isRecord, readLimited, within } from '@latchkey/session/internal'

/** In bytes. */
const MAX_ANSWER = 1024 * 1024

/** The provider did not give a usable HTTP answer. */
class ProviderAnswerError extends Error {
  override name = 'ProviderAnswerError'
}

/**
 * A fetch for requests to a provider, whose answers are untrusted: a time limit that covers the
 * body as well, a size limit, and no redirects, which could lead to an internal address and take
 * a token along (RFC 9700, section 4.10).
 *
 * @param fetch the provider's own fetch, or the platform's
 * @param inTime the limit of all requests together
 * @throws {ProviderAnswerError}
 */
export function limitedFetch(
  fetch: typeof globalThis.fetch,
  inTime: InTime,
  maxAnswer = MAX_ANSWER,
): typeof globalThis.fetch {
  return async (input, init) => {
    const controller = new AbortController()
    const headers = new Headers(init?.headers as HeadersInit)
    // Some providers refuse or throttle requests without a User-Agent.
    if (!headers.has('user-agent')) headers.set('user-agent', 'Latchkey')
    const exchange = async () => {
      const limits = { headers, redirect: 'manual', signal: controller.signal } as const
      const response = await fetch(input, { ...init, ...limits } as RequestInit)
      if (response.status === 0 || (response.status >= 300 && response.status < 400)) {
        await response.body?.cancel()
        throw new ProviderAnswerError('The endpoint answered with a redirect.')
      }
      const body = await readLimited(response.body, maxAnswer, response)
      if (!body) throw new ProviderAnswerError(`The answer is longer than ${maxAnswer} bytes.`)
      return new Response(body.byteLength > 0 ? body : null, response)
    }
    return inTime(exchange(), () => controller.abort())
  }
}

/** A public document: an object in JSON, or an error. @throws {ProviderAnswerError} */
export async function fetchDocument(
  fetch: typeof globalThis.fetch,
  url: string,
): Promise<Record<string, unknown>> {
  const answer = await fetch(url, { headers: { accept: 'application/json' } })
  if (!answer.ok) throw new ProviderAnswerError(`${url} answered with status ${answer.status}.`)
  const content: unknown = await answer.json()
  if (!isRecord(content)) throw new ProviderAnswerError(`${url} is not an object.`)
  return content
}

/**
 * Waits for a step, and fails if its answer does not come in time. A value that is not a promise has come in time.
 *
 * @param giveUp called at the limit, to end the step itself
 */
export type InTime = <Result>(
  work: Result | Promise<Result>,
  giveUp?: () => void,
) => Promise<Result>

/**
 * One limit for several steps, which begins now: each step has the time that the others have left.
 *
 * @param limit milliseconds
 * @returns throws as `answerWithin`
 */
export function timeLimit(limit: number): InTime {
  const began = Date.now()
  return async <Result>(work: Result | Promise<Result>, giveUp?: () => void) => {
    if (!isPromise(work)) return work
    // A clock that is set back a little ends nothing.
    const left = Math.max(0, limit - Math.max(0, Date.now() - began))
    return within(left, work, (): never => {
      giveUp?.()
      throw new Error(`No answer within ${limit} ms.`)
    })
  }
}

/** Also one of another realm or library. */
function isPromise<Result>(work: Result | Promise<Result>): work is Promise<Result> {
  return typeof (work as Partial<Promise<Result>> | null | undefined)?.then === 'function'
}
