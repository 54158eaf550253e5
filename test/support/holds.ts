import fc, { type IAsyncPropertyWithHooks, type IPropertyWithHooks } from 'fast-check'

/** Repeats a failure: the seed that it printed. */
const seed = process.env.PROPERTY_SEED

/** How many times as many cases as usual, for a long run by hand. */
const times = Number(process.env.PROPERTY_TIMES ?? 1)

/**
 * Does a property hold for so many made-up cases? Each run makes up others; a failure prints its
 * seed and the smallest case that fails.
 *
 * @example await holds(200, fc.property(fc.string(), (text) => { expect(read(text)).toBeDefined() }))
 */
export async function holds<Values>(
  cases: number,
  property: IPropertyWithHooks<Values> | IAsyncPropertyWithHooks<Values>,
): Promise<void> {
  const given = seed === undefined ? {} : { seed: Number(seed) }
  await fc.assert(property, { numRuns: cases * times, ...given })
}
