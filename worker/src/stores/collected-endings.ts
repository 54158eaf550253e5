import type { Ledger as LedgerObject } from '../ledger.js'
import { isCollected } from './ledger/answers.js'
import { COLLECTOR_AGE, MEMBERS } from './ledger/collector.js'
import { isMissing, joined } from './ledger/methods.js'
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
  const replicas = replicasOf(groups.length)
  const first = Math.floor(Math.random() * replicas)
  // An isolate keeps to the collectors that answer, and asks another one beside one that is silent.
  const asked = groups.map((members) => ({ members, kept: first, unanswered: 0 }))
  const ask = async (index: number, since: number, isFirst?: boolean) => {
    const group = asked[index] as (typeof asked)[number]
    const replica = (group.kept + group.unanswered++) % replicas
    const collector = objectAt(namespace, { name: `endings-${groups.length}-${index}-${replica}` })
    const answer: unknown = await collector.collect(since, [...group.members], isFirst)
    if (!isCollected(answer)) throw new TypeError('The answer of a collector is none.')
    group.kept = replica
    group.unanswered = 0
    return answer
  }
  return {
    age: COLLECTOR_AGE,
    async revokedSince(since, isFirst) {
      try {
        const found = await Promise.all(groups.map((_, index) => ask(index, since, isFirst)))
        return { ...joined(found), seconds: found.flatMap(({ seconds }) => seconds) }
      } catch (error) {
        if (places.length > MAX_NARROW || !isMissing(error)) throw error
        return ledger.revokedSince(since)
      }
    },
  }
}

/**
 * So many collectors there are of the same objects: the number of isolates grows with that of objects.
 * Where one is gone, another one answers.
 */
export function replicasOf(groups: number): number {
  return Math.max(2, groups)
}

function groupsOf(places: readonly Place[]): readonly (readonly Place[])[] {
  const count = Math.ceil(places.length / MEMBERS)
  return Array.from({ length: count }, (_, at) => places.slice(at * MEMBERS, (at + 1) * MEMBERS))
}
