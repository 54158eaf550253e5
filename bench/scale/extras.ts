import { MONTH, PRICES } from './price.js'
import type { Figures } from './simulate.js'
import { objectsOf, type Size } from './sizes.js'

/** What one event costs besides what the simulator counts (docs/scale.md has the same table). */
interface Extra {
  readonly name: string
  /** Events a second. */
  readonly rate: (size: Size, figures: Pick<Figures, 'renewals'>) => number
  readonly calls: number
  /** Rows written, and those that are deleted one day. */
  readonly rows: number
  readonly kvLists?: number
}

/** One sign-in of so many is the first one of its person. */
const FIRST = 1 / 10

/** What a deployment has beside sign-ins by OAuth without callbacks. */
export const extras: readonly Extra[] = [
  { name: 'every sign-in by password', rate: ({ signIns }) => signIns, calls: 1, rows: 9 },
  { name: 'every sign-in by a mail’s code', rate: ({ signIns }) => signIns, calls: 3, rows: 11 },
  { name: 'a `jwt` or `session` callback', rate: (_, { renewals }) => renewals, calls: 1, rows: 0 },
  {
    name: 'an app that asks for newcomers',
    rate: ({ signIns }) => signIns,
    calls: 1 + FIRST,
    rows: 2 * FIRST,
    kvLists: FIRST,
  },
]

/** @returns calls a second more to each object, and dollars a month more */
export function costOf(extra: Extra, size: Size, figures: Pick<Figures, 'renewals'>) {
  const rate = extra.rate(size, figures)
  const { call, rowWritten, kvWrite } = PRICES
  const price = extra.calls * call + extra.rows * rowWritten + (extra.kvLists ?? 0) * kvWrite
  return {
    calls: (rate * extra.calls) / objectsOf(size).objects,
    dollars: (rate * price * MONTH) / 1e6,
  }
}
