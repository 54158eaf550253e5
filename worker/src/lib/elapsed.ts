/** Milliseconds since a time; infinite when the clock was set back before it. */
export function elapsed(since: number, now: number): number {
  return now >= since ? now - since : Number.POSITIVE_INFINITY
}
