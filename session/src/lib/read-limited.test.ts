import { expect, test, vi } from 'vitest'
import { readLimited } from './read-limited.js'

/** A body in these pieces. */
function bodyOf(pieces: readonly Uint8Array[], cancel = () => {}): ReadableStream<Uint8Array> {
  const left = [...pieces]
  return new ReadableStream({
    pull(controller) {
      const piece = left.shift()
      if (piece) controller.enqueue(piece)
      else controller.close()
    },
    cancel,
  })
}

const bytes = (...values: number[]) => Uint8Array.from(values)

test('a body up to the limit is read whole', async () => {
  expect(await readLimited(bodyOf([bytes(1, 2), bytes(), bytes(3)]), 3)).toEqual(bytes(1, 2, 3))
  expect(await readLimited(bodyOf([]), 3)).toEqual(bytes())
  expect(await readLimited(null, 3)).toEqual(bytes())
})

test('the rest of a longer one is not read', async () => {
  const cancel = vi.fn()
  expect(await readLimited(bodyOf([bytes(1, 2), bytes(3, 4), bytes(5)], cancel), 3)).toBeUndefined()
  expect(cancel).toHaveBeenCalledOnce()
})

test('a body that breaks off is an error', async () => {
  const broken = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.error(new Error('broken')),
  })
  await expect(readLimited(broken, 3)).rejects.toThrow('broken')
})
