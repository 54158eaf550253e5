/** The day of a time. Seconds. */
export function dayOf(time: number): number {
  return time - (time % 86_400)
}
