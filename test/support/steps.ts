/** A method of texts, and how many characters it looks at. */
type Cost = (text: string, given: readonly unknown[], result: unknown) => number

const whole: Cost = (text) => text.length
const found: Cost = (text, [, from = 0], result) =>
  (result === -1 ? text.length : (result as number)) - (from as number) + 1
const foundFromEnd: Cost = (text, [, from = text.length], result) =>
  (from as number) - Math.max(0, result as number) + 1
const cut: Cost = (_, __, result) => (result as string).length + 1

const COSTS = {
  split: whole,
  includes: whole,
  replace: whole,
  replaceAll: whole,
  match: whole,
  search: whole,
  toLowerCase: whole,
  trim: whole,
  indexOf: found,
  lastIndexOf: foundFromEnd,
  slice: cut,
  charCodeAt: () => 1,
} as const

/**
 * The cost of some work, in characters that methods of texts look at: the same on every machine, while a clock
 * would be noisy.
 *
 * @example expect(steps(() => parse(long))).toBeLessThan(12 * steps(() => parse(short)))
 */
export function steps(work: () => unknown): number {
  let count = 0
  const prototype = String.prototype as unknown as Record<string, unknown>
  const originals = Object.keys(COSTS).map((name) => [name, prototype[name]] as const)
  for (const [name, original] of originals) {
    const method = original as (...given: unknown[]) => unknown
    prototype[name] = function (this: string, ...given: unknown[]) {
      const result = method.apply(this, given)
      count += COSTS[name as keyof typeof COSTS](String(this), given, result)
      return result
    }
  }
  try {
    work()
  } finally {
    for (const [name, original] of originals) prototype[name] = original
  }
  return count
}
