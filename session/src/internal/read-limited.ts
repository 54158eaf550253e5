/** The body as text, or `undefined` when it is longer than the limit. @param limit bytes */
export async function readLimited(answer: Response, limit: number): Promise<string | undefined> {
  const reader = answer.body?.getReader()
  if (!reader) return ''
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    size += value.byteLength
    if (size > limit) {
      reader.cancel().catch(() => {})
      return undefined
    }
    text += decoder.decode(value, { stream: true })
  }
}
