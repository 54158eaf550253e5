/**
 * A request's body for a reader that may stop early. Kit's adapter for Node ends the connection
 * when its stream is canceled, and the refusal could not be sent.
 */
export function bodyOf({ body }: Request): ReadableStream<Uint8Array> | null {
  if (!body) return null
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        reader ??= body.getReader()
        const { done, value } = await reader.read()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      // The rest is not read, and ends with the connection.
      cancel() {},
    },
    { highWaterMark: 0 },
  )
}
