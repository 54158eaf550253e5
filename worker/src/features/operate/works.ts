/**
 * Some work of the alarm of an object.
 *
 * @returns when it has to run next, in milliseconds since the epoch; `undefined`: there is none
 */
export type Work = () => Promise<number | undefined>

/** Work that failed is tried again after it. Milliseconds. */
const AGAIN = 60_000

/** Runs all work. A failure is logged, and stops no other work. @returns when each has to run next */
export async function runWorks(
  works: readonly Work[],
  now: () => number,
): Promise<readonly number[]> {
  const next = works.map(async (work) => {
    try {
      return await work()
    } catch (error) {
      // The object has no logger. A message could quote an address of the configuration.
      const name = error instanceof Error ? error.name : typeof error
      console.error(`[auth][error] Work of the ledger's alarm has failed: ${name}`)
      return now() + AGAIN
    }
  })
  return (await Promise.all(next)).filter((time) => time !== undefined)
}
