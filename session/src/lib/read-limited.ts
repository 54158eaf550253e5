/**
 * The whole body, or `undefined` when it is longer than the limit; the rest is then not read.
 *
 * @param limit bytes
 * @param signal ends the reading: a body that is read can be canceled by its reader alone
 */
export async function readLimited(
  body: ReadableStream<Uint8Array> | null,
  limit: number,
  signal?: AbortSignal,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const reader = body?.getReader()
  const giveUp = () => void reader?.cancel().catch(() => {})
  signal?.addEventListener('abort', giveUp)
  const chunks: Uint8Array[] = []
  let size = 0
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    size += part.value.byteLength
    if (size > limit) {
      giveUp()
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
