import { isWorkerd } from './deadline.js'

/** The message of a body, and the signal that ends its reading. */
interface Known {
  /** The headers of the message. A body that is as long as its `Content-Length` says is read in one step. */
  readonly headers?: Headers
  /** Ends the reading: a body that is read can be canceled by its reader alone. */
  readonly signal?: AbortSignal
}

/**
 * The whole body, or `undefined` when it is longer than the limit; the rest is then not read.
 *
 * @param limit bytes
 */
export async function readLimited(
  body: ReadableStream<Uint8Array> | null,
  limit: number,
  { headers, signal }: Known = {},
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  let reader: ReadableStreamBYOBReader | ReadableStreamDefaultReader<Uint8Array> | undefined
  const giveUp = () => void reader?.cancel().catch(() => {})
  signal?.addEventListener('abort', giveUp)
  const chunks: Uint8Array<ArrayBuffer>[] = []
  const length = Number(headers?.get('content-length'))
  const first = isWorkerd && length > 0 && length <= limit && bytesOf(body)
  if (first) {
    reader = first
    // Each chunk, and the end, would be a turn of the event loop. One byte more than its sender says: what the platform
    // has decompressed is longer.
    const most = new Uint8Array(length + 1)
    const { value = most } = await first.read(most, { min: most.length })
    if (value.length <= length) return value
    chunks.push(value)
    first.releaseLock()
  }
  const rest = body?.getReader()
  reader = rest
  let size = chunks[0]?.length ?? 0
  while (size <= limit) {
    const part = await rest?.read()
    if (!part || part.done) return joined(chunks, size)
    size += part.value.length
    chunks.push(part.value as Uint8Array<ArrayBuffer>)
  }
  giveUp()
  return undefined
}

/** `undefined` for a stream that a script has made, which may have chunks and no bytes. */
function bytesOf(body: ReadableStream<Uint8Array> | null): ReadableStreamBYOBReader | undefined {
  try {
    return body?.getReader({ mode: 'byob' })
  } catch {
    return undefined
  }
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}
