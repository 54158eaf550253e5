import { answerWithin, elapsed } from '@latchkey/session/internal'
import type { Ledger as LedgerObject } from '../ledger.js'
import { type AnyMethod, ledgerOf } from './ledger/methods.js'
import { type Layout, placesOf } from './ledger/placement.js'
import type { Ledger } from './ledger/rules.js'
import { objectAt } from './object-at.js'

/** How often an isolate tells that the number of objects changes. Milliseconds. */
const INTERVAL = 60_000
/** A call that tells waits no longer for the answer. Milliseconds. */
const PATIENCE = 700

/** When each ledger was asked, since a configuration may be made for each request. */
const askedAt = new WeakMap<object, number>()

/**
 * A ledger whose number of objects changes: with one call a minute it tells the first object of each older number
 * to hand the documents over ({@link Resharding}). With one number, the ledger itself.
 *
 * @param now milliseconds since the epoch
 * @param onResharded called once, when no older object has any document that the new ones lack
 */
export function reshardingLedger(
  namespace: DurableObjectNamespace<LedgerObject>,
  layouts: readonly Layout[],
  ledger: Ledger,
  now: () => number,
  onResharded: () => void,
): Ledger {
  const to = layouts.at(-1)?.count ?? 1
  const older = new Set(layouts.map(({ count }) => count).filter((count) => count !== to))
  if (older.size === 0) return ledger
  let isDone = false
  const reshard = async () => {
    const left = [...older].map((count) => {
      const [first] = placesOf({ count, regions: [] })
      return objectAt(namespace, first as NonNullable<typeof first>).handOver(count, to)
    })
    const answers: unknown[] = await answerWithin(PATIENCE, Promise.all(left))
    if (isDone || !answers.every((isLeft) => isLeft === false)) return
    isDone = true
    onResharded()
  }
  return ledgerOf((name) => async (...args) => {
    const answer = (ledger[name] as AnyMethod)(...args)
    if (elapsed(askedAt.get(namespace) ?? Number.NEGATIVE_INFINITY, now()) < INTERVAL) return answer
    askedAt.set(namespace, now())
    // In the course of a call, since a Worker may be stopped after it. It need not succeed: another one tells.
    const [answered] = await Promise.allSettled([answer, reshard()])
    if (answered.status === 'rejected') throw answered.reason
    return answered.value
  })
}
