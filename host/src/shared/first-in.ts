/** More lines are not remembered: a configuration that is made of requests has names without end. */
const MOST = 200

/**
 * For a line of the log that is written once, however often its cause comes back.
 *
 * @param before the lines that were written
 * @returns `false` too if there were too many
 */
export function isFirstIn(before: Set<string>, line: string): boolean {
  if (before.has(line) || before.size >= MOST) return false
  before.add(line)
  return true
}
