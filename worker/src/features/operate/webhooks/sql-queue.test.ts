import { expect, test } from 'vitest'
import { emptyDatabase } from '../../../test-support/sqlite.js'
import { WebhookQueue } from './queue.js'

const row = (seq: number, next: number | null, tries = 1) =>
  ({ seq, tries, last: 'timeout', next }) as const

/** Takes all that is due until a time. */
function taken(queue: WebhookQueue, now = Number.MAX_SAFE_INTEGER) {
  const rows = []
  for (let row = queue.take(now); row; row = queue.take(now)) rows.push(row)
  return rows
}

test('messages are taken in the order of their next tries, each once', () => {
  const queue = new WebhookQueue(emptyDatabase())
  for (const [seq, next] of [30, 10, 20].entries()) queue.put(row(seq + 1, next))
  expect(queue.next()).toBe(10)
  expect(taken(queue, 20).map(({ seq }) => seq)).toEqual([2, 3])
  expect(queue.next()).toBe(30)
  queue.put(row(2, 25, 2))
  queue.delete(3)
  expect(taken(queue)).toEqual([row(2, 25, 2), row(1, 30)])
  expect(queue.next()).toBeUndefined()
})

test('thousands of messages, of which few are known in memory, are all taken in their order', () => {
  const run = emptyDatabase()
  const queue = new WebhookQueue(run)
  const times = Array.from({ length: 3_000 }, (_, at) => (at * 7_919) % 3_001)
  for (const [at, next] of times.slice(0, 1_500).entries()) queue.put(row(at + 1, next))
  const early = taken(queue, 700)
  for (const [at, next] of times.slice(1_500).entries()) queue.put(row(at + 1_501, next + 701))
  const late = taken(queue)
  expect(early.map(({ next }) => next)).toEqual(
    times
      .slice(0, 1_500)
      .filter((time) => time <= 700)
      .sort((one, other) => one - other),
  )
  expect(late).toHaveLength(3_000 - early.length)
  expect(late.map(({ next }) => next)).toEqual(
    late.map(({ next }) => next as number).sort((one, other) => one - other),
  )
})

test('a message under way is not taken again, unless the object restarts', () => {
  const run = emptyDatabase()
  const queue = new WebhookQueue(run)
  queue.put(row(1, 10))
  expect(queue.take(10)).toEqual(row(1, 10))
  for (let seq = 2; seq < 2_000; seq++) queue.put(row(seq, 20))
  expect(taken(queue).filter(({ seq }) => seq === 1)).toEqual([])
  expect(new WebhookQueue(run).take(10)).toEqual(row(1, 10))
})

test('dead messages are kept, shown and never taken', () => {
  const queue = new WebhookQueue(emptyDatabase())
  queue.put(row(1, null, 8))
  queue.put(row(2, 5))
  expect(taken(queue).map(({ seq }) => seq)).toEqual([2])
  expect(queue.failed(100).map(({ seq }) => seq)).toEqual([2, 1])
  queue.deleteUpTo(1)
  expect(queue.failed(100).map(({ seq }) => seq)).toEqual([2])
})

test('before the first failure there is no table', () => {
  const run = emptyDatabase()
  const queue = new WebhookQueue(run)
  queue.delete(1)
  queue.deleteUpTo(10)
  expect([queue.get(1), queue.next(), queue.take(1), queue.failed(1)]).toEqual([
    undefined,
    undefined,
    undefined,
    [],
  ])
  expect(run('SELECT name FROM sqlite_master')).toEqual([])
})
