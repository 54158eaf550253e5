import type { WorkerAddress } from '@latchkey/session'
import type { PublicOrigin } from '@latchkey/session/adapter'

/** Whoever answers the auth routes, for one request and its configuration. */
export interface Service {
  /** @throws {WorkerUnavailable} */
  answer(call: ServiceCall): Promise<Response>
  /** The same for the verifier's question about this request's session. */
  readonly address: WorkerAddress
}

/** One request to the service. */
export interface ServiceCall {
  /** Below the base path, with its query: `/signin/github`. */
  readonly route: string
  readonly method: string
  /** End to end; those that say where the request comes from are added. */
  readonly headers: Headers
  readonly body?: BodyInit | null
  readonly origin: PublicOrigin
  /** The client's address, where Kit's adapter knows it. */
  readonly client: string | undefined
  readonly signal?: AbortSignal | null
}

/** What `fetch` and `new Request` are given. */
export function initOf({
  method,
  headers,
  body = null,
  signal = null,
}: ServiceCall): RequestInit & { readonly headers: Headers; duplex?: 'half' } {
  const init = { method, headers: new Headers(headers), signal }
  if (method === 'GET' || method === 'HEAD') return init
  // A stream is sent by who does not wait for an answer meanwhile.
  return body instanceof ReadableStream ? { ...init, body, duplex: 'half' } : { ...init, body }
}
