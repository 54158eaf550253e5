import { expect, test } from 'vitest'
import { Poller } from './poller.js'

/** A Worker throws if a request waits for what belongs to a request that has ended. */
const ENDED = new Error('This promise was created by a request that has since ended.')

function refresher(looks: readonly (() => Promise<number>)[]) {
  let count = 0
  const made = new Poller({
    now: () => 1_000_000,
    look: () => looks[count++]?.() ?? Promise.resolve(1_000),
    limit: 10_000,
    patience: 1_000,
  })
  return { made, count: () => count }
}

test('if a fetch ends with its request, a waiting reader begins a new one', async () => {
  let end = (_: Error) => {}
  const { made, count } = refresher([() => new Promise((_, reject) => (end = reject))])
  const first = made.refreshIfDue(1_000_000, 500)?.catch(() => 'its own request has ended')
  const second = made.refreshIfDue(1_000_000, 500)
  const third = made.refreshIfDue(1_000_000, 500)
  end(ENDED)
  await Promise.all([first, second, third])
  expect(count()).toBe(2)
  expect(made.isCurrent(1_000_000)).toBe(true)
})

test('a fetch that ends a second time fails no request: known data decides', async () => {
  const { made, count } = refresher([() => Promise.reject(ENDED), () => Promise.reject(ENDED)])
  await expect(made.refreshIfDue(1_000_000, 500)).resolves.toBeUndefined()
  expect(count()).toBe(2)
  expect(made.isCurrent(1_000_000)).toBe(false)
  await expect(made.lookNow(1_000_000, 5_000)).resolves.toBeUndefined()
  expect(made.isCurrent(1_000_000)).toBe(true)
})
