/**
 * A request's body for somebody who may want no more of it. Kit's adapter for Node ends the connection
 * when its stream is cancelled, and the refusal would have no way out.
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
      // What still comes is not read. It goes with the connection.
      cancel() {},
    },
    { highWaterMark: 0 },
  )
}
