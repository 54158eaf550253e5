import { vi } from 'vitest'

/** The real one, also where a test has taken its place. */
const { setImmediate: turn } = globalThis

/** Calls of the platform's cryptography that have not ended: no fake timer knows of them. */
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

/** Lets what is under way come to its end, but for timers, however long the machine needs for it. */
async function settle(): Promise<void> {
  for (let quiet = 0; quiet < 10; quiet++) {
    await new Promise((resolve) => turn(resolve))
    if (underWay.size === 0) continue
    await Promise.allSettled(underWay)
    quiet = 0
  }
}

/**
 * Lets the fake time go by where the work waits for nothing else: what the platform computes takes
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
