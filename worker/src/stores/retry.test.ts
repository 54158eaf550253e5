import { describe, expect, it, vi } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { withRetries } from './retry.js'

const { advance } = clock({ timers: true })

/** A question whose answers the test gives, each in its own time. */
function question(pauses: readonly number[]) {
  const asked: { resolve(text: string): void; reject(error: Error): void }[] = []
  const ask = () =>
    new Promise<string>((resolve, reject) => {
      asked.push({ resolve, reject })
    })
  const end = vi.fn()
  withRetries(ask, pauses).then(end, (error: Error) => end(error.message))
  const answer = async (at: number, text: string) => {
    asked[at]?.resolve(text)
    await advance(0)
  }
  const fail = async (at: number, reason: string) => {
    asked[at]?.reject(new Error(reason))
    await advance(0)
  }
  return { asked, end, answer, fail }
}

describe('a question that may be lost on its way', () => {
  it('is asked once if it is answered before the first pause ends', async () => {
    const { asked, end, answer } = question([100, 200])
    await advance(99)
    await answer(0, 'first')
    expect(end).toHaveBeenCalledExactlyOnceWith('first')
    expect(vi.getTimerCount()).toBe(0)
    await advance(1_000)
    expect(asked).toHaveLength(1)
  })

  it('is asked again after each pause, and never more often', async () => {
    const { asked } = question([100, 200])
    for (const [wait, times] of [
      [99, 1],
      [1, 2],
      [199, 2],
      [1, 3],
      [10_000, 3],
    ] as const) {
      await advance(wait)
      expect(asked).toHaveLength(times)
    }
  })

  it.each([0, 1, 2])('takes its first answer, from any of its times: %i', async (at) => {
    const { end, answer } = question([100, 200])
    await advance(300)
    await answer(at, 'an answer')
    expect(end).toHaveBeenCalledExactlyOnceWith('an answer')
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('a question that fails', () => {
  it('the first time is asked again at once, and the next time after the next pause', async () => {
    const { asked, end, fail } = question([100, 200])
    await fail(0, 'lost')
    expect(asked).toHaveLength(2)
    expect(end).not.toHaveBeenCalled()
    // There is no second wait for the pause before this repetition.
    await advance(199)
    expect(asked).toHaveLength(2)
    await advance(1)
    expect(asked).toHaveLength(3)
  })

  it('both times is over: who is down is not asked in a loop', async () => {
    const { asked, end, fail } = question([100, 200])
    await fail(0, 'lost')
    await fail(1, 'overloaded')
    expect(end).toHaveBeenCalledExactlyOnceWith('overloaded')
    expect(vi.getTimerCount()).toBe(0)
    expect(asked).toHaveLength(2)
  })

  it('later is still answered by the first question', async () => {
    const { asked, end, answer, fail } = question([100])
    await advance(100)
    await fail(1, 'overloaded')
    expect(end).not.toHaveBeenCalled()
    expect(asked).toHaveLength(2)
    await answer(0, 'late')
    expect(end).toHaveBeenCalledExactlyOnceWith('late')
  })

  it('at first, after it was asked again, leaves the answer to the second', async () => {
    const { asked, end, answer, fail } = question([100])
    await advance(100)
    await fail(0, 'lost')
    expect(asked).toHaveLength(2)
    expect(end).not.toHaveBeenCalled()
    await answer(1, 'second')
    expect(end).toHaveBeenCalledExactlyOnceWith('second')
  })

  it('and may not be repeated is a failure at once', async () => {
    const { asked, end, fail } = question([])
    await advance(1_000)
    await fail(0, 'lost')
    expect(end).toHaveBeenCalledExactlyOnceWith('lost')
    expect(asked).toHaveLength(1)
  })
})
