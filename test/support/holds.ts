import fc, { type IAsyncPropertyWithHooks, type IPropertyWithHooks } from 'fast-check'

/** Repeats a failure: the seed that it printed. */
const seed = process.env.PROPERTY_SEED

/**
 * How many times as many cases as the test says. By day a quarter is tried: with the same seed these are the first
 * ones of the night's. `npm run test:night` and `npm run mutate` try all of them, and a long run by hand more.
 */
const times = Number(process.env.PROPERTY_TIMES ?? 0.25)

/**
 * Does a property hold for a number of made-up cases? Each run makes up others; a failure prints
 * its seed and the smallest case that fails.
 *
 * @example await holds(200, fc.property(fc.string(), (text) => { expect(read(text)).toBeDefined() }))
 */
export async function holds<Values>(
  cases: number,
  property: IPropertyWithHooks<Values> | IAsyncPropertyWithHooks<Values>,
): Promise<void> {
  const given = seed === undefined ? {} : { seed: Number(seed) }
  await fc.assert(property, { numRuns: often(cases), ...given })
}

/** A number of cases or calls by day, by night, or in a long run by hand. */
export const often = (cases: number): number => Math.ceil(cases * times)

/** Only some of these moments are tried, unless a long run was asked for. */
const STEP = times > 1 ? 1 : 8

/**
 * The moments at which a fault is tried: each case begins with another one, so that the cases together try all of
 * them. With `PROPERTY_TIMES` each case tries every moment.
 *
 * @param name of the case
 * @example for (let at = first; !isOver; at += step) {}
 */
export function moments(name: string): { readonly first: number; readonly step: number } {
  const sum = [...name].reduce(
    (all, letter) => all + letter.charCodeAt(0),
    Number(seed ?? Date.now()),
  )
  return { first: sum % STEP, step: STEP }
}
