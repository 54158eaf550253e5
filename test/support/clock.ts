import { afterEach, beforeEach, vi } from 'vitest'

/** The time at which every test begins, unless its file sets another. */
const START = Date.UTC(2026, 10, 1)

export interface Clock {
  /** Moves `Date` on by a number of seconds; no timer is called. */
  readonly pass: (seconds: number) => void
  /** Replaces the timers of this test too; until then they are real. */
  readonly takeTimers: () => void
  /** Moves `Date` on by a number of milliseconds, and calls the timers that end meanwhile. */
  readonly advance: (milliseconds: number) => Promise<unknown>
}

/**
 * The clock of a test file: it is reset for each test, and stands still until the test moves it.
 *
 * @param start `'now'` if something that is real compares its own time with it
 * @param timers whether timers are the tests' own from the beginning
 * @example const { pass } = clock()
 */
export function clock({ start = START as number | 'now', timers = false } = {}): Clock {
  const take = (now: number, withTimers: boolean) => {
    const toFake = withTimers
      ? (['Date', 'setTimeout', 'clearTimeout'] as const)
      : ['Date' as const]
    vi.useFakeTimers({ toFake: [...toFake], now })
  }
  beforeEach(() => take(start === 'now' ? Date.now() : start, timers))
  afterEach(() => void vi.useRealTimers())
  return {
    pass: (seconds) => void vi.setSystemTime(Date.now() + Math.round(seconds * 1000)),
    takeTimers: () => take(Date.now(), true),
    advance: (milliseconds) => vi.advanceTimersByTimeAsync(milliseconds),
  }
}
