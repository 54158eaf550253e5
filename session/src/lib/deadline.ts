/** Milliseconds since a time; infinite when the clock was set back before it. */
export function elapsed(since: number, now: number): number {
  return now >= since ? now - since : Number.POSITIVE_INFINITY
}

/** The result of the work, or `undefined` when it takes longer. @param limit milliseconds */
export async function within<Result>(
  limit: number,
  work: Promise<Result>,
): Promise<Result | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const silence = new Promise<undefined>((resolve) => {
    timer = withoutHold(setTimeout(() => resolve(undefined), limit))
  })
  try {
    return await Promise.race([work, silence])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * In a Cloudflare Worker nothing runs between requests. When a client disconnects, the work that
 * its request began ends without an error.
 */
export const isWorkerd = globalThis.navigator?.userAgent === 'Cloudflare-Workers'

/**
 * A timer that keeps no process alive; `undefined` if there are no timers. @returns a function
 * that stops it
 */
export function everySoOften(work: () => void, interval: number): (() => void) | undefined {
  if (isWorkerd) return undefined
  try {
    const timer = withoutHold(setInterval(work, interval))
    return () => clearInterval(timer)
  } catch {
    return undefined
  }
}

/** In Node a timer keeps the process alive unless `unref` is called. */
function withoutHold<Timer>(timer: Timer): Timer {
  if (typeof timer === 'object' && timer !== null && 'unref' in timer) {
    ;(timer as { unref(): unknown }).unref()
  }
  return timer
}
