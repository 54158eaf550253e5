import type { Ledger as LedgerObject } from '../ledger.js'
import { answerOf, type Homes, ledgerOf, methods } from './ledger/methods.js'
import type { Ledger } from './ports.js'

/**
 * The ledger behind a Durable Object binding, in one object or in several: all rows of one session
 * or name are in the same object. Rows that were written with another number of objects are found
 * only while that number is still listed.
 *
 * @param shards numbers of objects, in the order in which they were or will be in use
 */
export function durableLedger(
  namespace: DurableObjectNamespace<LedgerObject>,
  shards: readonly number[] = [1],
): Ledger {
  // Calls go over the wire: a stub has every method of its class.
  const open = (name: string) => namespace.get(namespace.idFromName(name)) as unknown as Ledger
  const homesOf = (key: string | undefined): Homes => {
    const own = key === undefined ? [] : shards.map((count) => nameOf(count, hash(key) % count))
    return {
      own: own.map(open),
      others: () =>
        shards.flatMap(namesOf).flatMap((name) => (own.includes(name) ? [] : open(name))),
    }
  }
  return ledgerOf((name) => {
    const { home, ask } = methods[name] as unknown as AnySharded
    return async (...given) =>
      ask(homesOf(home?.(...given)), (object) => answerOf(object, name, given), ...given)
  })
}

/** Any method of the table; callers pass the arguments that fit its own types. */
interface AnySharded {
  readonly home?: (...given: readonly unknown[]) => string
  ask(
    homes: Homes,
    call: (object: Ledger) => Promise<unknown>,
    ...given: readonly unknown[]
  ): Promise<unknown>
}

function namesOf(count: number): string[] {
  return Array.from({ length: count }, (_, index) => nameOf(count, index))
}

/** A single object has the name that it has without the setting. */
function nameOf(count: number, index: number): string {
  return count === 1 ? 'ledger' : `ledger-${count}-${index}`
}

/** FNV-1a, 32 bits: spreads evenly, and everywhere in the same way. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let at = 0; at < text.length; at++) {
    value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
  }
  return value >>> 0
}
