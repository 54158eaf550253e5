import { expect, test } from 'vitest'
import { emptyDatabase } from '../../../test-support/sqlite.js'
import type { QueueRow } from './queue.js'
import { SqlQueue } from './sql-queue.js'

const row = (seq: number, next: number | null, tries = 1) =>
  ({ seq, tries, last: 'timeout', next }) as const

/** Takes all that is due until a time. */
async function taken(queue: SqlQueue, now = Number.MAX_SAFE_INTEGER) {
  const rows: QueueRow[] = []
  for (let row = await queue.take(now); row; row = await queue.take(now)) rows.push(row)
  return rows
}

test('messages are taken in the order of their next tries, each once', async () => {
  const queue = new SqlQueue(emptyDatabase())
  for (const [seq, next] of [30, 10, 20].entries()) await queue.put(row(seq + 1, next))
  expect(await queue.next()).toBe(10)
  expect((await taken(queue, 20)).map(({ seq }) => seq)).toEqual([2, 3])
  expect(await queue.next()).toBe(30)
  await queue.put(row(2, 25, 2))
  await queue.delete(3)
  expect(await taken(queue)).toEqual([row(2, 25, 2), row(1, 30)])
  expect(await queue.next()).toBeUndefined()
})

test('thousands of messages, of which few are known in memory, are all taken in their order', async () => {
  const run = emptyDatabase()
  const queue = new SqlQueue(run)
  const times = Array.from({ length: 3_000 }, (_, at) => (at * 7_919) % 3_001)
  for (const [at, next] of times.slice(0, 1_500).entries()) await queue.put(row(at + 1, next))
  const early = await taken(queue, 700)
  for (const [at, next] of times.slice(1_500).entries())
    await queue.put(row(at + 1_501, next + 701))
  const late = await taken(queue)
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

test('a message under way is not taken again, unless the object restarts', async () => {
  const run = emptyDatabase()
  const queue = new SqlQueue(run)
  await queue.put(row(1, 10))
  expect(await queue.take(10)).toEqual(row(1, 10))
  for (let seq = 2; seq < 2_000; seq++) await queue.put(row(seq, 20))
  expect((await taken(queue)).filter(({ seq }) => seq === 1)).toEqual([])
  expect(await new SqlQueue(run).take(10)).toEqual(row(1, 10))
})

test('dead messages are kept, shown and never taken', async () => {
  const queue = new SqlQueue(emptyDatabase())
  await queue.put(row(1, null, 8))
  await queue.put(row(2, 5))
  expect((await taken(queue)).map(({ seq }) => seq)).toEqual([2])
  expect((await queue.failed(100)).map(({ seq }) => seq)).toEqual([2, 1])
})

test('before the first failure there is no table', async () => {
  const run = emptyDatabase()
  const queue = new SqlQueue(run)
  await queue.delete(1)
  expect([
    await queue.get(1),
    await queue.next(),
    await queue.take(1),
    await queue.failed(1),
  ]).toEqual([undefined, undefined, undefined, []])
  expect(run('SELECT name FROM sqlite_master')).toEqual([])
})
