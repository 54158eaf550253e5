const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** The pauses after a try that failed. The first try is at once, so there are eight of them. */
const PAUSES = [
  5 * SECOND,
  1 * MINUTE,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  6 * HOUR,
  14 * HOUR,
] as const

/** So that messages that failed together do not come together again. */
const JITTER = 1 / 5

/**
 * When a message is tried again, which a server of the operator or of an app did not take.
 *
 * @param tries how many there have been
 * @param now of the last one, in milliseconds
 * @param random from 0 up to 1
 * @returns milliseconds; `null`: there was the last one, and the message is dead
 */
export function nextTry(tries: number, now: number, random: number): number | null {
  const pause = PAUSES[tries - 1]
  if (pause === undefined) return null
  return now + Math.round(pause * (1 - JITTER + 2 * JITTER * random))
}
