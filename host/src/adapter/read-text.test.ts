import { expect, test } from 'vitest'
import { readText } from './read-text.js'

test('a character may be divided between two pieces', async () => {
  const bytes = new TextEncoder().encode('é!')
  const pieces = () =>
    new ReadableStream({
      start(controller) {
        controller.enqueue(bytes.slice(0, 1))
        controller.enqueue(bytes.slice(1))
        controller.close()
      },
    })
  const answer = () => new Response(pieces())
  expect(await readText(answer(), 3)).toBe('é!')
  expect(await readText(answer(), 2)).toBeUndefined()
})
