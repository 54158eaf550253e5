import { afterEach, beforeEach, vi } from 'vitest'
import { callsInThreads } from './calls-in-threads.ts'

/** The longest wait that ends at once where waits pass: KV's for a second write. A deadline is longer. Milliseconds. */
const SHORT = 1_100

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
 * @param waits whether a wait of the code, up to {@link SHORT}, moves the clock on instead of taking real time
 * @example const { pass } = clock()
 */
export function clock({
  start = START as number | 'now',
  timers = false,
  waits = false,
} = {}): Clock {
  const take = (now: number, withTimers: boolean) => {
    const toFake = withTimers
      ? (['Date', 'setTimeout', 'clearTimeout'] as const)
      : ['Date' as const]
    vi.useFakeTimers({ toFake: [...toFake], now })
  }
  beforeEach(() => {
    take(start === 'now' ? Date.now() : start, timers || waits)
    if (waits) passWaits()
  })
  afterEach(() => void vi.useRealTimers())
  return {
    pass: (seconds) => void vi.setSystemTime(Date.now() + Math.round(seconds * 1000)),
    takeTimers: () => take(Date.now(), true),
    advance: (milliseconds) => vi.advanceTimersByTimeAsync(milliseconds),
  }
}

/**
 * The timer of a short wait is called as soon as nothing else is left to do, after that time by `Date`. A deadline is
 * not a wait: its timer keeps no process alive, and passes only if the test moves the clock. If it passed by itself, a
 * call that a busy machine answers a moment later would fail.
 */
function passWaits(): void {
  const { setTimeout, clearTimeout } = globalThis
  const over = new WeakSet<object>()
  const passing = (call: () => void, wait = 0) => {
    const timer = setTimeout(() => {
      over.add(timer)
      call()
    }, wait)
    const pass = () => {
      if (over.has(timer) || !timer.hasRef() || globalThis.setTimeout !== passing) return
      if (callsInThreads.open > 0) setImmediate(pass)
      else vi.advanceTimersByTime(wait)
    }
    if (wait <= SHORT) setImmediate(pass)
    return timer
  }
  globalThis.setTimeout = passing as typeof setTimeout
  globalThis.clearTimeout = ((timer) => {
    if (typeof timer === 'object' && timer !== null) over.add(timer)
    clearTimeout(timer ?? undefined)
  }) as typeof clearTimeout
}
