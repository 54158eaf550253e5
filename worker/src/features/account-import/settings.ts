import { textOf } from '@latchkey/host/shared'
import { InvalidConfiguration } from '../../errors.js'
import type { Environment } from '../../types.js'

/**
 * How long accounts may be imported at most, so that a forgotten route closes itself. Milliseconds.
 */
const LONGEST = 7 * 24 * 60 * 60 * 1000

const ISO = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/

/**
 * Until when `POST /import` is there. A day without a time begins at midnight, UTC.
 *
 * @param now milliseconds since the epoch, as the answer
 * @returns `undefined`: it is not
 * @throws {InvalidConfiguration}
 */
export function importUntil(env: Environment, now: number): number | undefined {
  const text = textOf(env, 'AUTH_IMPORT_UNTIL')
  if (text === undefined) return undefined
  const until = ISO.test(text) ? Date.parse(text) : Number.NaN
  if (until - now <= LONGEST) return until
  throw new InvalidConfiguration(
    'AUTH_IMPORT_UNTIL must be a date at most seven days ahead, such as 2026-12-01 or 2026-12-01T18:00:00Z.',
  )
}
