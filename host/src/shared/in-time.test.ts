import { describe, expect, test, vi } from 'vitest'
import { clock } from '../../../test/support/clock.ts'
import { answerWithin } from './in-time.js'

const { advance } = clock({ start: 'now', timers: true })

const never = new Promise<string>(() => {})

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
