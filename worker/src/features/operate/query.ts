import { networkIn } from '../../http/network.js'
import { WrongArgument } from '../../lib/wrong-argument.js'
import { isEventName } from './event-names.js'
import type { RecordsQuery } from './log/record.js'

/** A query of the audit log whose members were checked. */
export interface CheckedQuery extends Pick<RecordsQuery, 'event' | 'since' | 'until' | 'limit'> {
  readonly sub: string | undefined
  /** The network of the address that was given. */
  readonly network: string | undefined
  /** Where each chain goes on; `undefined`: with its newest record. */
  readonly after: ReadonlyMap<string, number> | undefined
}

const LIMIT = 50
const MAX_LIMIT = 200
/** The longest `sub` in characters, of which some have two units. */
const MAX_SUB = 255

const MEMBERS = ['sub', 'ip', 'event', 'since', 'until', 'after', 'limit'] as const

type Member = (typeof MEMBERS)[number]

/** @throws {WrongArgument} naming the member that is wrong, and never its value */
export function checkedQuery(given: object): CheckedQuery {
  const query = new Map<string, unknown>(Object.entries(given))
  for (const [name, value] of query) {
    if (!(MEMBERS as readonly string[]).includes(name))
      throw new WrongArgument(`audit has no such member. It has: ${MEMBERS.join(', ')}.`)
    if (value === undefined) query.delete(name)
  }
  /** What a reader makes of a member; it returns `undefined` for a value that is none. */
  const read = <Value>(
    name: Member,
    reader: (text: string) => Value | undefined,
    needs: string,
  ): Value | undefined => {
    if (!query.has(name)) return undefined
    const text = query.get(name)
    const value = typeof text === 'string' && text.length <= MAX_TEXT ? reader(text) : undefined
    if (value === undefined) throw new WrongArgument(`audit: ${name} ${needs}.`)
    return value
  }
  const event = read('event', (text) => (isEventName(text) ? text : undefined), 'is not an event')
  const since = read('since', timeIn, 'must be a time of ISO 8601')
  const until = read('until', timeIn, 'must be a time of ISO 8601')
  const limit = query.has('limit') ? query.get('limit') : LIMIT
  if (!(Number.isInteger(limit) && Number(limit) >= 1 && Number(limit) <= MAX_LIMIT))
    throw new WrongArgument(`audit: limit must be a whole number from 1 to ${MAX_LIMIT}.`)
  return {
    sub: read('sub', subIn, `must be a person's id, of 1 to ${MAX_SUB} characters`),
    network: read('ip', networkIn, 'must be an address'),
    after: read('after', cursorIn, 'must be the `next` of a page'),
    limit: Number(limit),
    ...(event === undefined ? {} : { event }),
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
  }
}

/** The longest text of a query, in units: a cursor has a place for each of many chains. */
const MAX_TEXT = 100_000

function subIn(text: string): string | undefined {
  return text !== '' && [...text].length <= MAX_SUB ? text : undefined
}

/** Groups: year, month, day, and the time of the day with its zone. */
const TIME = /^(\d{4})-(\d\d)-(\d\d)(T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/

/** Milliseconds since the epoch. A day without a time begins in UTC. */
function timeIn(text: string): number | undefined {
  const [, year, month, day] = TIME.exec(text) ?? []
  if (day === undefined) return undefined
  // The parser takes the 30th of February for the 2nd of March.
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)))
  const time = Date.parse(text)
  return date.getUTCDate() === Number(day) && !Number.isNaN(time) ? time : undefined
}

/** The names of chains all begin so. */
const PREFIX = 'ledger'

/** The place in each chain that is not at its end: `-4-2:1k,-4-3:z`. */
const PLACE = /^((?:-[a-z0-9]+)*):([a-z0-9]{1,10})$/

/** `next` of a page. @returns null: there is no further one */
export function cursorOf(places: ReadonlyMap<string, number>): string | null {
  const all = [...places].map(
    ([chain, before]) => `${chain.slice(PREFIX.length)}:${before.toString(36)}`,
  )
  return all.length > 0 ? all.join() : null
}

function cursorIn(text: string): ReadonlyMap<string, number> | undefined {
  const places = text.split(',').map((place) => {
    const [, chain, before = ''] = PLACE.exec(place) ?? []
    return [`${PREFIX}${chain}`, Number.parseInt(before, 36)] as const
  })
  return places.every(([, before]) => Number.isSafeInteger(before)) ? new Map(places) : undefined
}
