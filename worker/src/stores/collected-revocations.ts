import type { Ledger as LedgerObject } from '../ledger.js'
import { isPartOfEndings } from './ledger/answers.js'
import { COLLECTOR_AGE, MEMBERS } from './ledger/collector.js'
import {
  distinct,
  type Layout,
  layoutOf,
  type Place,
  placesOf,
  type Region,
} from './ledger/placement.js'
import { joined } from './ledger/sharding/endings.js'
import type { Mark, RevocationLines } from './ledger/types.js'
import { objectAt } from './object-at.js'
import type { RevocationSource } from './ports.js'

/**
 * The recent endings of a ledger in several objects, from their collectors: an isolate that asked
 * each object would be one of thousands that do. `undefined` for one object, which is asked itself.
 *
 * @param near where the isolate is: where objects have regions, it asks collectors in its own
 */
export function collectedRevocations(
  namespace: DurableObjectNamespace<LedgerObject>,
  shards: readonly (number | Layout)[],
  near?: Region,
): RevocationSource | undefined {
  const layouts = shards.map(layoutOf)
  const places = distinct(layouts.flatMap(placesOf))
  if (places.length === 1) return undefined
  const groups = groupsOf(places)
  const regions = new Set(layouts.flatMap((layout) => layout.regions))
  const replicas = replicasOf(groups.length, regions.size)
  const first = Math.floor(Math.random() * replicas)
  // An isolate keeps to the collectors that answer, and asks another one beside one that is silent: at
  // last one elsewhere, which is out of reach for other reasons.
  const sets = near && regions.has(near) ? [near, undefined] : [undefined]
  const asked = groups.map((members, index) => {
    const collectors = sets.flatMap((region) =>
      Array.from({ length: replicas }, (_, at): Place => {
        const replica = (first + at) % replicas
        const begin = `endings-${groups.length}-${index}`
        if (!region) return { name: `${begin}-${replica}` }
        return { name: `${begin}-${region}-${replica}`, region }
      }),
    )
    return { members, collectors, kept: 0, unanswered: 0 }
  })
  type Group = (typeof asked)[number]
  const ask = async (group: Group, since: number, isFirst?: boolean, mark?: Mark) => {
    const index = (group.kept + group.unanswered++) % group.collectors.length
    const collector = objectAt(namespace, group.collectors[index] as Place)
    const answer: unknown = await collector.collect(since, [...group.members], isFirst, mark)
    if (!isPartOfEndings(answer, 'seconds'))
      throw new TypeError('The answer of a collector is not a list of endings.')
    group.kept = index
    group.unanswered = 0
    return answer as RevocationLines
  }
  return {
    age: COLLECTOR_AGE,
    async revokedSince(since, isFirst, marks) {
      const lines = await Promise.all(
        asked.map((group, index) => ask(group, since, isFirst, marks?.[index])),
      )
      return {
        ...joined(lines),
        seconds: lines.flatMap(({ seconds }) => seconds),
        // One group may be known up to now, of which another one is out of reach.
        heard: Math.min(...lines.map(({ heard, next }) => heard ?? next)),
        marks: lines.map((one) => one.marks?.[0]),
      }
    },
  }
}

/**
 * How many collectors cover the same objects in each region, and without regions: the number of
 * isolates grows with that of objects. If one is gone, another one answers.
 */
export function replicasOf(groups: number, regions: number): number {
  return Math.max(2, Math.ceil(groups / (regions + 1)))
}

function groupsOf(places: readonly Place[]): readonly (readonly Place[])[] {
  const count = Math.ceil(places.length / MEMBERS)
  return Array.from({ length: count }, (_, at) => places.slice(at * MEMBERS, (at + 1) * MEMBERS))
}
