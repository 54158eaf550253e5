import { answerWithin } from './deadline.js'
import { isRecord } from './is-record.js'

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
  const reader = body?.getReader()
  let isLate = false
  const giveUp = () => {
    isLate = true
    reader?.cancel().catch(() => {})
  }
  try {
    return (await answerWithin(BODY_TIMEOUT, readAll(reader, MAX_BODY), giveUp)) ?? 413
  } catch (error) {
    if (isLate) return 408
    // A server's own limit comes as an error too, with its status.
    if (isRecord(error) && typeof error.status === 'number') throw error
    return 400
  }
}

/**
 * The whole body, or `undefined` when it is longer than the limit; the rest is then not read.
 *
 * @param limit bytes
 */
export function readLimited(
  body: ReadableStream<Uint8Array> | null,
  limit: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  return readAll(body?.getReader(), limit)
}

async function readAll(
  reader: ReadableStreamDefaultReader<Uint8Array> | undefined,
  limit: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const chunks: Uint8Array[] = []
  let size = 0
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    size += part.value.byteLength
    if (size > limit) {
      reader?.cancel().catch(() => {})
      return undefined
    }
    chunks.push(part.value)
  }
  const bytes = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.byteLength
  }
  return bytes
}

/** An answer's body as text, or `undefined` when it is longer than the limit. @param limit bytes */
export async function readLimitedText(
  { body }: Response,
  limit: number,
): Promise<string | undefined> {
  const bytes = await readLimited(body, limit)
  return bytes && new TextDecoder().decode(bytes)
}
