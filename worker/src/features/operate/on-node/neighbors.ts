import { type Documents, downwards, KEYS, seqOf } from './documents.js'

/**
 * The nearest record at or below a place. Rows are found by their keys, one by one; where somebody has deleted thousands of them or
 * has put one far away, this finds the next one in a few dozen questions: of all keys after a given one it asks by what
 * they begin with.
 */
export async function nearestBelow(documents: Documents, seq: number): Promise<number | undefined> {
  const key = downwards(seq)
  const [own] = await documents.get([KEYS.record + key])
  if (own?.raw != null) return seq
  for (let at = key.length - 1; at >= 0; at--) {
    const digits = Array.from(
      { length: 9 - Number(key[at]) },
      (_, more) => Number(key[at]) + more + 1,
    )
    if (digits.length === 0) continue
    const beginnings = digits.map((digit) => KEYS.record + key.slice(0, at) + digit)
    for (const [found] of await documents.firstOf(beginnings, 1)) {
      const below = found && seqOf(found.key, KEYS.record)
      if (below !== undefined) return below
    }
  }
  return undefined
}

/** The nearest record at or above a place. @param newest a higher one that is there */
export async function nearestAbove(
  documents: Documents,
  seq: number,
  newest: number,
): Promise<number> {
  let low = seq
  let high = newest
  while (low < high) {
    const middle = low + Math.floor((high - low) / 2)
    const below = await nearestBelow(documents, middle)
    if (below !== undefined && below >= low) high = below
    else low = middle + 1
  }
  return low
}
