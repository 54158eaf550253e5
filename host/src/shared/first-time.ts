/** More lines for one object are not remembered: a configuration that is made of requests has names without end. */
const MOST = 200

const lines = new WeakMap<object, Set<string>>()

/**
 * For a line of the log that is written once, however often its cause comes back.
 *
 * @param owner a logger, an environment, a store or an app: a configuration may be made for each request
 * @returns `false` too if the object has had too many lines
 */
export function isFirstTime(owner: object, line: string): boolean {
  const before = lines.get(owner) ?? new Set()
  if (before.has(line) || before.size >= MOST) return false
  lines.set(owner, before.add(line))
  return true
}
