import { networkIn } from '../../http/network.js'
import { WrongArgument } from '../../lib/wrong-argument.js'
import { isEventName } from './event-names.js'
import { type RecordsQuery, STORE_CHAIN } from './log/record.js'

/** A query of the audit log whose members were checked. */
export interface CheckedQuery extends Pick<RecordsQuery, 'event' | 'since' | 'until' | 'limit'> {
  readonly sub?: string
  /** The network of the address that was given. */
  readonly ip?: string
  /** Where each chain goes on. Left out: with its newest record. */
  readonly after?: ReadonlyMap<string, number>
}

const LIMIT = 50
const MAX_LIMIT = 200
/** The longest `sub` in characters, of which some have two units. */
const MAX_SUB = 255
/** The longest text, in units: a cursor has a place for each of many chains. */
const MAX_TEXT = 100_000

/** The rule of each member in words, and the function that reads its value; `undefined`: the value breaks the rule. */
const MEMBERS: Readonly<Record<string, readonly [needs: string, read: Read]>> = {
  sub: [`a person's id, of 1 to ${MAX_SUB} characters`, subIn],
  ip: ['an address', networkIn],
  event: ['an event', (text) => (isEventName(text) ? text : undefined)],
  since: ['a time of ISO 8601', timeIn],
  until: ['a time of ISO 8601', timeIn],
  after: ['the `next` of a page', cursorIn],
}

type Read = (text: string) => unknown

/** @throws {TypeError} naming the member that is wrong, and never its value */
export function checkedQuery(given: object): CheckedQuery {
  const query: Record<string, unknown> = { limit: LIMIT }
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue
    if (name === 'limit') {
      if (!(Number.isInteger(value) && value >= 1 && value <= MAX_LIMIT))
        throw new WrongArgument(`audit: limit must be a whole number from 1 to ${MAX_LIMIT}.`)
      query.limit = value
      continue
    }
    const member = Object.hasOwn(MEMBERS, name) ? MEMBERS[name] : undefined
    if (!member)
      throw new WrongArgument(`audit has no such member. It has: ${Object.keys(MEMBERS)},limit.`)
    const [needs, read] = member
    query[name] = typeof value === 'string' && value.length <= MAX_TEXT ? read(value) : undefined
    if (query[name] === undefined) throw new WrongArgument(`audit: ${name} must be ${needs}.`)
  }
  return query as unknown as CheckedQuery
}

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

/** The names of the ledger's chains all begin so. */
const PREFIX = 'ledger'

/**
 * The place in each chain that is not at its end: `-4-2:1k,-4-3:z`, or `store:1k`. Somebody may have put a row at any whole number, also below zero: it
 * must not keep a check of the log from its end.
 */
const PLACE = /^(store|(?:-[a-z0-9]+)*):(-?[a-z0-9]{1,11})$/

/** `next` of a page. @returns null: there is no further one */
export function cursorOf(places: ReadonlyMap<string, number>): string | null {
  const all = [...places].map(
    ([chain, before]) =>
      `${chain === STORE_CHAIN ? chain : chain.slice(PREFIX.length)}:${before.toString(36)}`,
  )
  return all.length > 0 ? all.join() : null
}

function cursorIn(text: string): ReadonlyMap<string, number> | undefined {
  const places = text.split(',').map((place) => {
    const [, chain, before = ''] = PLACE.exec(place) ?? []
    return [
      chain === STORE_CHAIN ? chain : `${PREFIX}${chain}`,
      Number.parseInt(before, 36),
    ] as const
  })
  return places.every(([, before]) => Number.isSafeInteger(before)) ? new Map(places) : undefined
}
