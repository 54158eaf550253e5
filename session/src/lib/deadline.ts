/** Milliseconds since a time; infinite when the clock was set back before it. */
export function elapsed(since: number, now: number): number {
  return now >= since ? now - since : Number.POSITIVE_INFINITY
}

/**
 * The result of the work, unless the limit comes first.
 *
 * @param limit milliseconds
 * @param atLimit makes the result then, or throws; left out: the result is `undefined`
 */
export function within<Result, Late = undefined>(
  limit: number,
  work: Promise<Result>,
  atLimit: () => Late = () => undefined as Late,
): Promise<Result | Late> {
  // One promise and one timer: in workerd a timer crosses into the platform twice.
  return new Promise((resolve, reject) => {
    // In an async function, so that an error of `atLimit` rejects.
    const late = async () => atLimit()
    const timer = withoutHold(setTimeout(() => resolve(late()), limit))
    const stop = () => clearTimeout(timer)
    work.then(stop, stop)
    work.then(resolve, reject)
  })
}

/**
 * The result of the work, if a missing answer is an error.
 *
 * @param limit milliseconds
 * @param giveUp called at the limit, to end the work itself
 * @throws {Error} when it takes longer
 */
export function answerWithin<Result>(
  limit: number,
  work: Promise<Result>,
  giveUp?: () => void,
): Promise<Result> {
  return within(limit, work, (): never => {
    giveUp?.()
    throw new Error(`No answer within ${limit} ms.`)
  })
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
