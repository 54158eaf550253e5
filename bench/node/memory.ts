import { start } from './child.ts'

/** By default a verifier remembers so many tokens at most. */
export const REMEMBERED = 20_000

/** The memory of a verifier, in bytes, by the number of tokens it has seen. */
export interface Growth {
  readonly tokens: number
  readonly bytes: number
}

/**
 * Up to twice as many tokens as it remembers: it forgets the older half just after each step,
 * so that it never has more than at these.
 */
export async function measureMemory(steps = 4): Promise<readonly Growth[]> {
  await using child = await start('memory')
  const growth: Growth[] = []
  const step = REMEMBERED / 2
  while (growth.length < steps) {
    const bytes = Number(await child.ask(step))
    growth.push({ tokens: (growth.length + 1) * step, bytes })
  }
  return growth
}
