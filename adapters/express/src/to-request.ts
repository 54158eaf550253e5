import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { UnderlyingSource } from 'node:stream/web'
import { endToEndHeaders } from '@latchkey/session/adapter'
import { parsedBody } from './parsed-body.js'
import type { ServiceCall } from './service.js'

/** Methods that `fetch` has no word for; as unwelcome as any other that a route does not know. */
const FORBIDDEN = /^(?:CONNECT|TRACE|TRACK)$/i

/** What `fetch` and `new Request` are given. */
export interface RequestParts {
  readonly url: URL
  readonly init: RequestInit & { readonly headers: Headers; readonly duplex?: 'half' }
}

/**
 * Express's request as a standard one, at the public address that was made out, and without the
 * headers that it was made out from. The body streams, unless the app has parsed it; the signal
 * tells when the client has gone.
 *
 * @param address origin and base path that take the place of the request's own
 */
export function toRequestParts({ req, res, place }: ServiceCall, address: string): RequestParts {
  const at = req.originalUrl.indexOf('?')
  const url = new URL(address + place.route + (at === -1 ? '' : req.originalUrl.slice(at)))
  const headers = endToEndHeaders(entriesOf(req.headers))
  const method = FORBIDDEN.test(req.method ?? '') ? 'OPTIONS' : (req.method ?? 'GET')
  const gone = new AbortController()
  res.once('close', () => {
    if (!res.writableFinished) gone.abort()
  })
  const init = { method, headers, signal: gone.signal }
  if (method === 'GET' || method === 'HEAD') return { url, init: withoutBody(init) }
  const parsed = parsedBody(req)
  if (!parsed) return { url, init: { ...init, body: bodyStream(req), duplex: 'half' } }
  // These spoke of the bytes that the app's parser has read.
  for (const name of ['content-length', 'content-encoding']) headers.delete(name)
  if (parsed.type) headers.set('content-type', parsed.type)
  return { url, init: { ...init, body: parsed.body } }
}

function* entriesOf(headers: IncomingHttpHeaders): Generator<[string, string]> {
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) yield [name, Array.isArray(value) ? value.join(', ') : value]
  }
}

function withoutBody<Init extends { readonly headers: Headers }>(init: Init): Init {
  init.headers.delete('content-length')
  return init
}

/**
 * The body, read as it is asked for. Unlike `Readable.toWeb` it leaves the socket alone when nobody
 * wants the rest: the answer has to go out on it.
 */
function bodyStream(req: IncomingMessage): ReadableStream<Uint8Array> {
  let stop = () => {}
  const source: UnderlyingSource<Uint8Array> = {
    start(controller) {
      if (req.destroyed) return controller.error(new Error('The client has gone.'))
      const onData = (chunk: Uint8Array | string) => {
        controller.enqueue(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)
        req.pause()
      }
      const onEnd = () => {
        stop()
        controller.close()
      }
      const onFault = (error?: Error) => {
        stop()
        controller.error(error ?? new Error('The client has gone.'))
      }
      stop = () => {
        req.off('data', onData).off('end', onEnd).off('error', onFault).off('close', onFault)
      }
      req.pause()
      req.on('data', onData).on('end', onEnd).on('error', onFault).on('close', onFault)
    },
    pull() {
      req.resume()
    },
    cancel() {
      stop()
      // What still comes is not kept; Node ends the connection if it comes for too long.
      req.resume()
    },
  }
  return new ReadableStream(source, { highWaterMark: 0 })
}
