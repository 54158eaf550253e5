import { describe, expect, test, vi } from 'vitest'
import { clock } from '../../../test/support/clock.ts'
import { answerWithin, elapsed, within } from './deadline.js'

const { advance } = clock({ start: 'now', timers: true })

const never = new Promise<string>(() => {})

describe('work with a deadline', () => {
  test('that ends in time gives its result, and leaves no timer behind', async () => {
    expect(await within(100, Promise.resolve('done'))).toBe('done')
    expect(vi.getTimerCount()).toBe(0)
  })

  test('that fails in time fails as it did', async () => {
    const failure = new Error('no')
    await expect(within(100, Promise.reject(failure))).rejects.toBe(failure)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('that takes longer gives nothing', async () => {
    const waiting = within(100, never)
    await advance(100)
    expect(await waiting).toBeUndefined()
  })

  test('that fails after the deadline changes nothing', async () => {
    const late = new Promise<string>((_, reject) => setTimeout(() => reject(new Error('x')), 200))
    const waiting = within(100, late)
    await advance(300)
    expect(await waiting).toBeUndefined()
  })
})

describe('work whose missing answer is an error', () => {
  test('that ends in time gives its result, and leaves no timer behind', async () => {
    expect(await answerWithin(100, Promise.resolve('done'))).toBe('done')
    expect(await answerWithin(100, Promise.resolve(undefined))).toBeUndefined()
    expect(vi.getTimerCount()).toBe(0)
  })

  test('that fails in time fails as it did', async () => {
    const failure = new Error('no')
    await expect(answerWithin(100, Promise.reject(failure))).rejects.toBe(failure)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('that takes longer is given up', async () => {
    const giveUp = vi.fn()
    const waiting = answerWithin(100, never, giveUp)
    const refused = expect(waiting).rejects.toThrow('No answer within 100 ms.')
    await advance(99)
    expect(giveUp).not.toHaveBeenCalled()
    await advance(1)
    await refused
    expect(giveUp).toHaveBeenCalledOnce()
  })
})

test.each([
  ['after a while', 1_000, 1_500, 500],
  ['at once', 1_000, 1_000, 0],
  ['when the clock was set back', 1_000, 999, Number.POSITIVE_INFINITY],
])('the time that has passed %s', (_, since, now, expected) => {
  expect(elapsed(since, now)).toBe(expected)
})
