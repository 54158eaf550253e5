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
  return timeLimit(limit)(work, giveUp)
}

/** Waits for a step, if no answer in time is an error. @param giveUp called then, to end the step itself */
export type InTime = <Result>(work: Promise<Result>, giveUp?: () => void) => Promise<Result>

/**
 * One limit for several steps, which begins now: each step has the time that the others have left.
 *
 * @param limit milliseconds
 * @returns throws as {@link answerWithin}
 */
export function timeLimit(limit: number): InTime {
  const began = Date.now()
  return async (work, giveUp = () => {}) => {
    // A clock that is set back a little ends nothing.
    const left = Math.max(0, limit - Math.max(0, Date.now() - began))
    const answer = await within(
      left,
      work.then((result) => ({ result })),
    )
    if (answer) return answer.result
    giveUp()
    throw new Error(`No answer within ${limit} ms.`)
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
