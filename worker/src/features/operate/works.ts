/**
 * Some work of the alarm of an object.
 *
 * @returns when it has to run next, in milliseconds since the epoch; `undefined`: there is none
 */
export type Work = () => Promise<number | undefined>

/** Work that failed is tried again after it. Milliseconds. */
const AGAIN = 60_000

/** Runs all work. What fails is logged, and stops nothing else. @returns when each has to run next */
export async function runWorks(
  works: readonly Work[],
  now: () => number,
): Promise<readonly number[]> {
  const next = works.map(async (work) => {
    try {
      return await work()
    } catch (error) {
      // The object has no logger. What the platform shows of it has no content of a record.
      console.error('[auth][error] The alarm of the ledger failed.', error)
      return now() + AGAIN
    }
  })
  return (await Promise.all(next)).filter((time) => time !== undefined)
}
