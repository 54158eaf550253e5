import type { Ledger as LedgerObject } from '../ledger.js'
import { answerOf } from './ledger/answers.js'
import { ledgerOf, methods } from './ledger/methods.js'
import {
  distinct,
  followers,
  isAstray,
  type Layout,
  layoutOf,
  type Place,
  placeOfName,
  placeOfPerson,
  placeOfSession,
  placesOf,
} from './ledger/placement.js'
import type { Ledger } from './ledger/rules.js'
import type { Home, Homes } from './ledger/sharding/homes.js'
import { objectAt } from './object-at.js'

/**
 * The ledger behind a Durable Object binding, in one object or in several: what concerns one person
 * is in one of them. Rows that were written with another number of objects are found only while that
 * number is still listed.
 *
 * @param shards in the order in which they were or will be in use
 */
export function durableLedger(
  namespace: DurableObjectNamespace<LedgerObject>,
  shards: readonly (number | Layout)[],
): Ledger {
  const layouts = shards.map(layoutOf)
  // Calls go over the wire: the other side has every method of the class.
  const open = (place: Place) => objectAt(namespace, place) as unknown as Ledger
  const placesAt = (home: Home) => distinct(layouts.flatMap((layout) => ownOf(layout, home)))
  const homesOf = (home: Home | undefined): Homes => {
    const own = home ? placesAt(home) : []
    const objects = new Map<string, Ledger>()
    const opened = own.map(openOnce)
    function openOnce(place: Place): Ledger {
      const object = objects.get(place.name) ?? open(place)
      objects.set(place.name, object)
      return object
    }
    const others = () => {
      const places = layouts.flatMap((layout) =>
        home && 'sub' in home && home.sub ? followers(layout, home.sub) : placesOf(layout),
      )
      const names = new Set(own.map(({ name }) => name))
      return distinct(places).flatMap((place) => (names.has(place.name) ? [] : open(place)))
    }
    const at = (home: Home) => placesAt(home).map(openOnce)
    const of = (count: number) => openOnce(ownOf(layoutOf(count), home as Home)[0] as Place)
    return { own: opened, others, at, counts: layouts.map(({ count }) => count), of }
  }
  return ledgerOf((name) => {
    const { home, ask } = methods[name] as unknown as AnyAsking
    return async (...args) =>
      ask(homesOf(home?.(...args)), (object) => answerOf(object, name, args), ...args)
  })
}

/** Any method of the table; callers pass the arguments that fit its own types. */
interface AnyAsking {
  readonly home?: (...args: readonly unknown[]) => Home
  ask(
    homes: Homes,
    call: (object: Ledger) => Promise<unknown>,
    ...args: readonly unknown[]
  ): Promise<unknown>
}

function ownOf(layout: Layout, home: Home): readonly Place[] {
  if ('name' in home) return [placeOfName(layout, home.name)]
  if (!('sid' in home)) return [placeOfPerson(layout, home.sub)]
  const { sid, sub } = home
  const own = placeOfSession(layout, sid)
  return sub !== undefined && isAstray(layout, sid, sub) ? [own, placeOfPerson(layout, sub)] : [own]
}
