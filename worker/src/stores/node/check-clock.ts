import { CLOCK_SKEW } from '@latchkey/session/issue'

/** Two processes may then differ by as much as the time of a token may. Milliseconds. */
const MOST = (CLOCK_SKEW / 2) * 1000

/**
 * Refuses a process whose clock is not that of the database. Its tokens would be refused by other processes or count for too
 * long, and a sign-out everywhere, which the database dates, would miss its sessions.
 *
 * @param asked when the process asked the database @param told what the database answered @param now when the answer came.
 *   Milliseconds since the epoch
 * @throws {Error} they differ by more than half a minute
 */
export function checkClock(database: string, asked: number, told: number, now: number): void {
  const ahead = Math.max(asked - told, 0) + Math.min(now - told, 0)
  if (Math.abs(ahead) <= MOST) return
  const seconds = Math.round(Math.abs(ahead) / 1000)
  throw new Error(
    `The clock of this process is ${seconds} seconds ${ahead > 0 ? 'ahead of' : 'behind'} the clock of ${database}.`,
  )
}
