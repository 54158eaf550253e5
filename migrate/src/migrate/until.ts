const DAY = 24 * 60 * 60

/**
 * The day on which the last of the old sessions is over, if the app is deployed on the day on which its
 * code is changed.
 *
 * @param maxAge how long an old session lives, in seconds
 */
export function untilOf(now: Date, maxAge: number): string {
  const end = new Date(now.getTime() + (maxAge + DAY) * 1000)
  return end.toISOString().slice(0, 10)
}
