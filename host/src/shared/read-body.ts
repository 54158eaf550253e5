import { answerWithin, isRecord, readLimited } from '@latchkey/session/internal'

/** The most that a body of a request to the auth routes may have. Bytes. */
const MAX_BODY = 64 * 1024
/** How long such a body may take: one byte a second would hold a request for a day. Milliseconds. */
const BODY_TIMEOUT = 15_000

/** Why a body was not read, as a status of HTTP. */
type BodyFault = 413 | 408 | 400

/**
 * The body of a request to the auth routes. A body with a `Content-Length` above the limit is not
 * read at all: some platforms cannot answer a request after they read a part of its body. A body that
 * breaks off is its sender's fault (400): the operator cannot mend it.
 */
export async function readRequestBody(
  headers: Headers,
  body: ReadableStream<Uint8Array> | null,
): Promise<Uint8Array<ArrayBuffer> | BodyFault> {
  if (Number(headers.get('content-length')) > MAX_BODY) return 413
  const late = new AbortController()
  try {
    const reading = readLimited(body, MAX_BODY, { headers, signal: late.signal })
    return (await answerWithin(BODY_TIMEOUT, reading, () => late.abort())) ?? 413
  } catch (error) {
    if (late.signal.aborted) return 408
    // A server's own limit comes as an error too, with its status.
    if (isRecord(error) && typeof error.status === 'number') throw error
    return 400
  }
}
