/** The same message is not repeated within a minute. Milliseconds. */
const QUIET = 60_000
/** Messages that are remembered, at most. */
const MAX_MESSAGES = 50

/** Tells of errors, each kind once a minute: a service that is down is down for every look. */
export function throttled(
  tell: (error: Error) => void = (error) => console.error(`${error.name}: ${error.message}`),
  now: () => number,
): (error: unknown) => void {
  const told = new Map<string, number>()
  return (error) => {
    const fault = error instanceof Error ? error : new Error('Unexpected failure.')
    const time = now()
    if (Math.abs(time - (told.get(fault.message) ?? Number.NEGATIVE_INFINITY)) < QUIET) return
    if (told.size >= MAX_MESSAGES) told.clear()
    told.set(fault.message, time)
    try {
      tell(fault)
    } catch {
      // A log that fails must not fail a request.
    }
  }
}
