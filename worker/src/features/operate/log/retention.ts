import { headOf, type LogRows } from './rows.js'

const DAY = 24 * 60 * 60 * 1000
/**
 * Records are deleted so much later than they could be: the clocks of the object, of the service and of the machine that checks the
 * log may differ, and a record that is a second too young would look like a fault.
 */
const MARGIN = 5 * 60 * 1000
/**
 * The interval of the alarm while there are records. A record is an hour late at most, also in an object that deletes a thousand a
 * second for some minutes.
 */
export const INTERVAL = 30 * 60 * 1000
/** Rows that are deleted at once; the rest follows a second later, so that calls need not wait. */
const PART = 5_000
const PAUSE = 1_000

/**
 * Deletes the oldest records, if they are older than the days, and keeps the last of them as the place that the log begins after.
 *
 * @param days absent: nothing is deleted
 * @param now milliseconds since the epoch
 * @returns when it has to run next, in the same way; `undefined`: there is nothing to delete, now or later
 */
export async function retain(
  rows: LogRows,
  days: number | undefined,
  now: number,
): Promise<number | undefined> {
  if (days === undefined) return undefined
  const time = now - days * DAY - MARGIN
  const last = await rows.lastBefore(time, PART)
  if (last) {
    await rows.retain(headOf(last, await rows.chain()))
    if (await rows.lastBefore(time, 1)) return now + PAUSE
  }
  return (await rows.before(Number.MAX_SAFE_INTEGER, 1)).length > 0 ? now + INTERVAL : undefined
}
