/**
 * The whole body, or `undefined` when it is longer than the limit; the rest is then not read.
 *
 * @param limit bytes
 */
export async function readLimited(
  body: ReadableStream<Uint8Array> | null,
  limit: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const reader = body?.getReader()
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
