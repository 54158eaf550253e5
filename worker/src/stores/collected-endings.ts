import type { Ledger as LedgerObject } from '../ledger.js'
import { isCollected } from './ledger/answers.js'
import { COLLECTOR_AGE, MEMBERS, unpacked } from './ledger/collector.js'
import { joined } from './ledger/methods.js'
import {
  distinct,
  type Layout,
  layoutOf,
  MAX_NARROW,
  type Place,
  placesOf,
} from './ledger/placement.js'
import { objectAt } from './object-at.js'
import type { Ledger, RecentEndings } from './ports.js'

/**
 * The recent endings of a ledger in several objects, from their collectors: an isolate that asked
 * each object would be one of thousands that do. `undefined` for one object, which is asked itself.
 *
 * @param ledger asked where an object is of a version that has no collectors
 */
export function collectedEndings(
  namespace: DurableObjectNamespace<LedgerObject>,
  shards: readonly (number | Layout)[],
  ledger: Ledger,
): RecentEndings | undefined {
  const places = distinct(shards.map(layoutOf).flatMap(placesOf))
  if (places.length === 1) return undefined
  const groups = groupsOf(places)
  // An isolate keeps to one of as many collectors of the same objects as there are groups.
  const replica = Math.floor(Math.random() * groups.length)
  const ask = async (group: readonly Place[], index: number, since: number, isFirst?: boolean) => {
    const name = `endings-${groups.length}-${index}-${replica}`
    const answer: unknown = await objectAt(namespace, { name }).collect(since, [...group], isFirst)
    if (!isCollected(answer)) throw new TypeError('The answer of a collector is none.')
    return unpacked(answer)
  }
  return {
    age: COLLECTOR_AGE,
    async revokedSince(since, isFirst) {
      try {
        return joined(
          await Promise.all(groups.map((group, index) => ask(group, index, since, isFirst))),
        )
      } catch (error) {
        if (places.length > MAX_NARROW || !isMissing(error)) throw error
        return ledger.revokedSince(since)
      }
    },
  }
}

/** In the words of workerd, and of JavaScript: the other side's class has no such method. */
function isMissing(error: unknown): boolean {
  return error instanceof TypeError && /does not implement|not a function/.test(error.message)
}

function groupsOf(places: readonly Place[]): readonly (readonly Place[])[] {
  const count = Math.ceil(places.length / MEMBERS)
  return Array.from({ length: count }, (_, at) => places.slice(at * MEMBERS, (at + 1) * MEMBERS))
}
