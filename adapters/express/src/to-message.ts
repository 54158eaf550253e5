import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { UnderlyingSource } from 'node:stream/web'
import type { HostMessage } from '@latchkey/session/adapter'
import { parsedBody } from './parsed-body.js'
import type { SessionRequest } from './types.js'

/** Methods that `fetch` has no word for; as unwelcome as any other that a route does not know. */
const FORBIDDEN = /^(?:CONNECT|TRACE|TRACK)$/i

/**
 * Express's request as a standard one. The body streams, unless the app has parsed it; the signal tells
 * when the client has gone.
 */
export function toMessage(req: SessionRequest): HostMessage {
  const gone = new AbortController()
  const { res } = req
  res?.once('close', () => {
    if (!res.writableFinished) gone.abort()
  })
  const method = FORBIDDEN.test(req.method ?? '') ? 'OPTIONS' : (req.method ?? 'GET')
  const message = { method, headers: entriesOf(req.headers), signal: gone.signal }
  if (method === 'GET' || method === 'HEAD') return { ...message, body: null }
  const parsed = parsedBody(req)
  if (!parsed) return { ...message, body: bodyStream(req) }
  // These spoke of the bytes that the app's parser has read.
  const { 'content-length': _, 'content-encoding': __, ...headers } = req.headers
  if (parsed.type) headers['content-type'] = parsed.type
  return { ...message, headers: entriesOf(headers), body: parsed.body }
}

function* entriesOf(headers: IncomingHttpHeaders): Generator<[string, string]> {
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) yield [name, Array.isArray(value) ? value.join(', ') : value]
  }
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
