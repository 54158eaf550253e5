import { within } from '@latchkey/session/internal'

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

/**
 * Waits for a step, if no answer in time is an error. What is no promise has been in time.
 *
 * @param giveUp called at the limit, to end the step itself
 */
export type InTime = <Result>(
  work: Result | Promise<Result>,
  giveUp?: () => void,
) => Promise<Result>

/**
 * One limit for several steps, which begins now: each step has the time that the others have left.
 *
 * @param limit milliseconds
 * @returns throws as {@link answerWithin}
 */
export function timeLimit(limit: number): InTime {
  const began = Date.now()
  return async <Result>(work: Result | Promise<Result>, giveUp?: () => void) => {
    if (!isPromise(work)) return work
    // A clock that is set back a little ends nothing.
    const left = Math.max(0, limit - Math.max(0, Date.now() - began))
    return within(left, work, (): never => {
      giveUp?.()
      throw new Error(`No answer within ${limit} ms.`)
    })
  }
}

/** Also one of another realm or library. */
function isPromise<Result>(work: Result | Promise<Result>): work is Promise<Result> {
  return typeof (work as Partial<Promise<Result>> | null | undefined)?.then === 'function'
}
