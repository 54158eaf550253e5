import { isRecord } from '@latchkey/session/internal'
import type { LogState } from './rows.js'

/** The last minute that a date can have: minutes since the epoch. */
const LAST_MINUTE = 8.64e15 / 60_000
/** No chain gets so long. After the highest safe integer there would be no next place. */
const LAST_SEQ = 2 ** 52

const isText = (value: unknown) => value === null || typeof value === 'string'
const isWhole = (value: unknown, least: number, most = Number.MAX_SAFE_INTEGER) =>
  Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most

const CHECKS: Readonly<Record<keyof LogState, (value: unknown) => boolean>> = {
  chain: (value) => typeof value === 'string',
  days: (value) => isWhole(value, 1),
  floor: (value) =>
    isRecord(value) && isWhole(value.seq, 0, LAST_SEQ) && isText(value.hash) && isText(value.time),
  omitted: (value) =>
    isRecord(value) &&
    isWhole(value.minute, 0, LAST_MINUTE - 1) &&
    isRecord(value.counts) &&
    Object.entries(value.counts).every(
      ([event, count]) => /^[a-z-]{1,64}$/.test(event) && isWhole(count, 1),
    ),
  sent: (value) => isWhole(value, 0, LAST_SEQ),
}

/**
 * A value that the log keeps beside its rows.
 *
 * @param text JSON; somebody may have changed it
 * @returns `undefined`: it is as if it were not there, which a check of the log finds
 */
export function soundState<Name extends keyof LogState>(
  name: Name,
  text: string | undefined,
): LogState[Name] | undefined {
  try {
    const value: unknown = text === undefined ? undefined : JSON.parse(text)
    return CHECKS[name](value) ? (value as LogState[Name]) : undefined
  } catch {
    return undefined
  }
}
