import { describe, expect, test, vi } from 'vitest'
import { clock } from '../../../test/support/clock.ts'
import { SharedCalls } from './shared-calls.js'

const { advance } = clock({ start: 'now', timers: true })

const never = () => new Promise<string>(() => {})

describe('a renewal', () => {
  test('is shared while it goes on, and not afterwards', async () => {
    const renewals = new SharedCalls<string>(Date.now)
    const call = vi.fn(async () => `answer ${call.mock.calls.length}`)
    const shared = [renewals.share('a', call), renewals.share('a', call)]
    expect(await Promise.all(shared)).toEqual(['answer 1', 'answer 1'])
    expect(await renewals.share('a', call)).toBe('answer 2')
    expect(renewals.entries).toBe(0)
  })

  test('that fails is an error for all waiting requests, and for new ones during a moment', async () => {
    const renewals = new SharedCalls<string>(Date.now)
    const call = vi.fn(() => Promise.reject(new Error('down')))
    const shared = [renewals.share('a', call), renewals.share('a', call)]
    for (const result of await Promise.allSettled(shared)) expect(result.status).toBe('rejected')
    await expect(renewals.share('a', call)).rejects.toThrow('down')
    expect(call).toHaveBeenCalledTimes(1)
    vi.advanceTimersByTime(2_000)
    await expect(renewals.share('a', call)).rejects.toThrow('down')
    expect(call).toHaveBeenCalledTimes(2)
  })

  test('begins again in another request if it ends with its request, as a Worker says by throwing', async () => {
    const renewals = new SharedCalls<string>(Date.now)
    // The request that began it hears nothing any more. A waiting request learns that it cannot
    // settle.
    const work = never()
    vi.spyOn(work, 'then')
      .mockImplementationOnce(() => never() as never)
      .mockImplementation(() => Promise.reject(new Error('a request that has since ended')))
    void renewals.share('a', () => work).catch(() => {})
    const call = vi.fn(async () => 'answer')
    expect(await renewals.share('a', call)).toBe('answer')
    expect(call).toHaveBeenCalledTimes(1)
  })

  test('that never ends is given up: one of the waiting requests begins another', async () => {
    const renewals = new SharedCalls<string>(Date.now)
    void renewals.share('a', never)
    const call = vi.fn(async () => {
      await new Promise((resolve) => setTimeout(resolve, 100))
      return 'answer'
    })
    const waiting = [1, 2, 3].map(() => renewals.share('a', call))
    await advance(6_100)
    expect(await Promise.all(waiting)).toEqual(['answer', 'answer', 'answer'])
    expect(call).toHaveBeenCalledTimes(1)
  })

  test('that never ends delays a request for no longer than two deadlines', async () => {
    const renewals = new SharedCalls<string>(Date.now)
    void renewals.share('a', never)
    void renewals.share('a', never)
    void renewals.share('a', never)
    const last = renewals.share('a', async () => 'answer')
    await advance(12_000)
    expect(await last).toBe('answer')
  })

  test('goes on after its request', async () => {
    const waiting: Promise<unknown>[] = []
    const renewals = new SharedCalls<string>(Date.now)
    const down = renewals.share(
      'a',
      () => Promise.reject(new Error('down')),
      (work) => {
        waiting.push(work)
      },
    )
    await expect(down).rejects.toThrow('down')
    // A promise that is passed to waitUntil must not reject: the platform would log a crash.
    await expect(Promise.all(waiting)).resolves.toBeDefined()
    expect(waiting).toHaveLength(1)
  })

  test('is not kept in memory forever', async () => {
    const renewals = new SharedCalls<string>(Date.now)
    for (let n = 0; n < 20_000; n++) void renewals.share(`session ${n}`, never)
    expect(renewals.entries).toBe(10_000)
    vi.advanceTimersByTime(12_000)
    for (let n = 0; n < 3_000; n++) await renewals.share(`another ${n}`, async () => 'answer')
    expect(renewals.entries).toBe(0)
  })
})
