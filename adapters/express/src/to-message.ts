import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { ReadableStream } from 'node:stream/web'
import type { HostMessage } from '@latchkey/host'
import { parsedBody } from './parsed-body.js'
import type { SessionRequest } from './types.js'

/** Methods that `fetch` does not allow. They are refused like any other unknown method. */
const FORBIDDEN = /^(?:CONNECT|TRACE|TRACK)$/i

/**
 * Express's request as a standard one. The body streams, unless the app has parsed it; the signal
 * aborts when the client disconnects.
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
  if (!parsed)
    return { ...message, body: ReadableStream.from(chunksOf(req)) as HostMessage['body'] }
  // These headers describe the bytes that the app's parser has read.
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
 * The body, read on demand. Unlike `Readable.toWeb` it does not destroy the socket when the rest is
 * not read, since the answer has to be sent on it.
 */
async function* chunksOf(req: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of req.iterator({ destroyOnReturn: false })) {
      yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk
    }
  } finally {
    // Further data is discarded; Node ends the connection if that takes too long.
    req.resume()
  }
}
