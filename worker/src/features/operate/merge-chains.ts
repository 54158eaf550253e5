import type { AuditPage, AuditRecord, DamagedRow } from '../../types.js'
import type { RecordsPage } from './log/record.js'
import { cursorOf } from './query.js'

/** How often a chain may be asked on for one page: each of its answers may have found nothing in some thousand rows. */
const MAX_ROUNDS = 4

/** A chain that is read from its newest record on. */
interface Chain {
  readonly name: string
  /** Records that were read, and are not on the page yet. */
  found: readonly (AuditRecord | DamagedRow)[]
  /** Where reading goes on; null: all was read. `undefined`: nothing was read yet. */
  next: number | null | undefined
  /** Where the next page begins in it. */
  place: number | undefined
}

/**
 * A page of several chains, the newest record first; those of one chain are in its own order. A chain whose answer found too
 * little is asked again. If it still has nothing to show, the page ends there, because an older record of another chain
 * might have to come later.
 *
 * @param after where each chain goes on; one that is not in it was read to its end
 * @param ask the next part of a chain
 */
export async function merge(
  names: readonly string[],
  after: ReadonlyMap<string, number> | undefined,
  limit: number,
  ask: (chain: string, before: number | undefined) => Promise<RecordsPage>,
): Promise<AuditPage> {
  const chains: Chain[] = names
    .filter((name) => !after || after.has(name))
    .map((name) => ({ name, found: [], next: after?.get(name), place: after?.get(name) }))
  const records: (AuditRecord | DamagedRow)[] = []
  for (let round = 0; round < MAX_ROUNDS && records.length < limit; round++) {
    const empty = chains.filter(isHungry)
    if (round > 0 && empty.length === 0) break
    await Promise.all(
      empty.map(async (chain) => {
        const page = await ask(chain.name, chain.next ?? undefined)
        chain.found = page.records
        chain.next = page.next
        // Not at the newest one: the next page has no record that was written meanwhile.
        const [first] = page.records
        chain.place = first ? first.seq + 1 : (page.next ?? 0)
      }),
    )
    while (records.length < limit && !chains.some(isHungry)) {
      const chain = newest(chains)
      const [record, ...rest] = chain?.found ?? []
      if (!chain || !record) break
      records.push(record)
      chain.found = rest
      chain.place = rest.length > 0 ? record.seq : (chain.next ?? 0)
    }
  }
  const left = chains.filter(({ found, next }) => found.length > 0 || next !== null)
  return { records, next: cursorOf(new Map(left.map(({ name, place = 0 }) => [name, place]))) }
}

/** Has it nothing to show, and may have more? */
function isHungry({ found, next }: Chain): boolean {
  return found.length === 0 && next !== null
}

/** A damaged row has no time: it is shown when its turn in the chain has come. */
function newest(chains: readonly Chain[]): Chain | undefined {
  const timeOf = ({ found: [first] }: Chain) =>
    first === undefined ? '' : 'damaged' in first ? '~' : first.time
  return chains.reduce<Chain | undefined>(
    (best, one) => (best && timeOf(best) >= timeOf(one) ? best : one),
    undefined,
  )
}
