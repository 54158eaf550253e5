import { printable } from './printable.js'

/** A time of the service to the minute, such as `2026-11-28 00:01 UTC`. Other values as they are. */
export function minuteOf(time: unknown): string {
  const [, day, minute] = partsOf(time)
  return day === undefined ? unknownTime(time) : `${day} ${minute} UTC`
}

/** A time of the service to the day, such as `2026-11-28`. Other values as they are. */
export function dayOf(time: unknown): string {
  return partsOf(time)[1] ?? unknownTime(time)
}

/** Groups: day and minute of a time in UTC, as `toISOString` writes it. */
function partsOf(time: unknown): readonly (string | undefined)[] {
  const iso = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d(?:[.]\d{1,9})?Z$/
  return typeof time === 'string' ? (iso.exec(time) ?? []) : []
}

function unknownTime(time: unknown): string {
  return typeof time === 'string' ? printable(time) : 'unknown'
}
