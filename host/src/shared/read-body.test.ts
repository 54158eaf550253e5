import { expect, test } from 'vitest'
import { readRequestBody } from './read-body.js'

test('a request’s body that breaks off is its sender’s fault, unless a server says more', async () => {
  const breaking = (error: object) =>
    new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(error) })
  expect(await readRequestBody(new Headers(), breaking(new TypeError('lost')))).toBe(400)
  const tooLong = Object.assign(new Error('Content-length exceeds limit'), { status: 413 })
  await expect(readRequestBody(new Headers(), breaking(tooLong))).rejects.toBe(tooLong)
})
