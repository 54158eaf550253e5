import { isIP } from 'node:net'
import { WrongUse } from '../command.js'

/** The options of `latchkey audit` that narrow the records. */
interface Asked {
  readonly sub?: string | undefined
  readonly ip?: string | undefined
  readonly event?: string | undefined
  readonly since?: string | undefined
  readonly until?: string | undefined
}

/**
 * The query of the operator API for the options.
 *
 * @throws {WrongUse} one is malformed
 */
export function queryOf({ sub, ip, event, since, until }: Asked): object {
  if (sub !== undefined && [...sub].length > 255) {
    throw new WrongUse('--sub has 1 to 255 characters.')
  }
  if (ip !== undefined && isIP(ip) === 0) {
    throw new WrongUse('--ip must be an address, such as 192.0.2.1 or 2001:db8::1.')
  }
  if (event !== undefined && !/^[a-z][a-z-]{0,63}$/.test(event)) {
    throw new WrongUse('--event must be the name of an event, such as sign-in.')
  }
  return { sub, ip, event, since: timeOf('since', since), until: timeOf('until', until) }
}

/** A day, or a time to the minute or finer. Without a zone it is UTC, as the log is. */
const TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:[.]\d{1,3})?)?(Z|[+-]\d\d:\d\d)?)?$/

function timeOf(name: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const [, zone] = TIME.exec(text) ?? []
  const time = new Date(text.includes('T') && zone === undefined ? `${text}Z` : text)
  if (TIME.test(text) && !Number.isNaN(time.getTime())) return time.toISOString()
  throw new WrongUse(`--${name} must be a time such as 2026-11-28 or 2026-11-28T01:30:00Z.`)
}

/**
 * How many records to show.
 *
 * @param limit whole, from 1. Default `50`
 * @throws {WrongUse}
 */
export function countOf(limit: string | undefined, isAll = false): number {
  if (isAll && limit !== undefined) throw new WrongUse('Use --limit or --all, and not both.')
  if (isAll) return Number.POSITIVE_INFINITY
  if (limit === undefined) return 50
  if (/^[1-9]\d{0,8}$/.test(limit)) return Number(limit)
  throw new WrongUse('--limit must be a whole number, from 1.')
}
