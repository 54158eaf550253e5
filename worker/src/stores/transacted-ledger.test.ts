import { expect, it, vi } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { MAX_AGE, type Stored } from './stored.js'
import { transactedLedger } from './transacted-ledger.js'

clock()

/** A database that keeps nothing, whose clock is an hour ahead of this process's. */
function databaseAhead() {
  const now = () => Date.now() + 3_600_000
  const commit = vi.fn<Stored['commit']>(
    async (_, readAt) => readAt === null || now() <= readAt + MAX_AGE,
  )
  const read = vi.fn<Stored['read']>(async (questions) => ({
    answers: questions.map((question) => ('key' in question ? null : [])),
    now: now(),
  }))
  return { read, commit }
}

const mail = { link: 'a', code: 'b', sealed: 'c', expires: 2_000_000_000 }

it.each([
  ['startVerification', ['key', mail]],
  ['withdrawVerification', ['key']],
  ['forgive', ['key', ['hourly']]],
] as const)(
  '%s, which reads nothing, works in a process whose clock is behind the database',
  async (name, given) => {
    const stored = databaseAhead()
    const call = transactedLedger(stored)[name] as (
      ...given: readonly unknown[]
    ) => Promise<unknown>
    await call(...given)
    expect(stored.commit).toHaveBeenCalledTimes(1)
  },
)

it('a decision over rows that were read too long ago is still not committed', async () => {
  const stored = databaseAhead()
  stored.read.mockImplementation(async (questions) => ({
    answers: questions.map(() => null),
    now: Date.now(),
  }))
  vi.useRealTimers()
  await expect(transactedLedger(stored).consume('a', 2_000_000_000)).rejects.toThrow(
    'Others change',
  )
})
