import { vi } from 'vitest'

/** The real timer, also if a test has replaced it. */
const { setImmediate: turn } = globalThis

/** Calls of the platform's cryptography that have not ended, which fake timers do not see. */
const underWay = new Set<Promise<unknown>>()
const subtle = crypto.subtle as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>
for (const name of Object.getOwnPropertyNames(SubtleCrypto.prototype)) {
  if (name === 'constructor') continue
  const original = subtle[name]?.bind(crypto.subtle)
  subtle[name] = async (...args) => {
    const call = original?.(...args)
    if (call) underWay.add(call)
    try {
      return await call
    } finally {
      if (call) underWay.delete(call)
    }
  }
}

/** Waits until pending work has ended, except timers, however long the machine needs. */
async function settle(): Promise<void> {
  for (let quiet = 0; quiet < 10; quiet++) {
    await new Promise((resolve) => turn(resolve))
    if (underWay.size === 0) continue
    await Promise.allSettled(underWay)
    quiet = 0
  }
}

/**
 * Moves the fake clock on when the work waits for timers only: computations of the platform take
 * real time, and none of the test's.
 */
export async function waitedFor<Result>(work: Promise<Result>): Promise<Result> {
  let isDone = false
  const end = () => {
    isDone = true
  }
  work.then(end, end)
  for (;;) {
    await settle()
    if (isDone) return work
    await vi.advanceTimersByTimeAsync(250)
  }
}
