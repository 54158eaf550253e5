import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream as NodeReadableStream } from 'node:stream/web'
import { setCookies } from './express-host.js'

/**
 * Answers with a standard response: its status, headers, each of its cookies, and its body as a
 * stream. Cookies that the app has set stay.
 *
 * @throws the error of the body's source; nothing when the client has disconnected
 */
export async function sendResponse(response: Response, res: ServerResponse): Promise<void> {
  const { status, headers, body } = response
  if (res.headersSent || res.destroyed) {
    await body?.cancel()
    return
  }
  res.statusCode = status
  for (const [name, value] of headers) {
    if (name !== 'set-cookie') res.setHeader(name, value)
  }
  // A client that sends that slowly would hold the connection for minutes more (RFC 9110, 15.5.9).
  if (status === 408) res.setHeader('connection', 'close')
  setCookies(res, headers.getSetCookie())
  if (!body || res.req.method === 'HEAD') {
    await body?.cancel()
    res.end()
    return
  }
  try {
    await pipeline(Readable.fromWeb(body as NodeReadableStream), res)
  } catch (error) {
    if (isOfClient(error)) return
    throw error
  }
}

/**
 * Has the client disconnected, so that no client is left to get an error? The request's signal
 * aborts the source too.
 */
function isOfClient(error: unknown): boolean {
  const { code, name } = error as { code?: unknown; name?: unknown }
  return code === 'ERR_STREAM_PREMATURE_CLOSE' || name === 'AbortError'
}
