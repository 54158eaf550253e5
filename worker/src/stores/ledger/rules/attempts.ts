import { documentIn, type Rows, type Tables, unexpired } from '../rows.js'
import type { AttemptLimit, LedgerDocument } from '../types.js'

export const attempts = {
  /**
   * Counts an attempt, unless one of the limits is reached: then nothing is counted. @param key the
   * client or account that attempts; the counts of one key are in one place
   * @returns seconds to wait; 0: go ahead
   */
  admit(rows: Rows, now: number, key: string, limits: readonly AttemptLimit[]): number {
    const counts = limits.map((limit) => {
      const name = attemptsOf(key, limit.name)
      return { limit, name, known: unexpired(rows.get('attempts', name), now) }
    })
    const waits = counts.map(({ limit, known: row }) =>
      row && row.count >= limit.max ? row.expires - now : 0,
    )
    const wait = Math.max(0, ...waits)
    if (wait > 0) return wait
    for (const { limit, name, known: row } of counts) {
      if (row) rows.change('attempts', name, { count: row.count + 1 })
      else rows.put('attempts', name, { count: 1, expires: now + limit.period })
    }
    return 0
  },

  /**
   * Deletes the counts of a key under these limits.
   * @param way of the signed-in person, by its own name
   * @param wholes other limits of the key, in the same order: each count was part of one of these,
   * so the deleted counts are taken off it. A count that began before the present period of the
   * whole takes one off.
   * @returns the document `way\n<way>`, if there is one: see {@link LedgerDocument}
   */
  forgive(
    rows: Rows,
    now: number,
    key: string,
    limits: readonly string[],
    way?: string,
    wholes: readonly string[] = [],
  ): LedgerDocument | undefined {
    for (const [at, limit] of limits.entries()) {
      const name = attemptsOf(key, limit)
      const part = unexpired(rows.get('attempts', name), now)
      rows.delete('attempts', name)
      const whole = wholes[at]
      if (part && whole !== undefined) takeOff(rows, now, attemptsOf(key, whole), part)
    }
    return way === undefined ? undefined : documentIn(rows, now, `way\n${way}`)
  },
}

/**
 * Takes a part off the count that it was counted in too. Some of a part that began earlier were counted in a period that
 * is over, and the last one alone is sure to be in this one.
 */
function takeOff(rows: Rows, now: number, name: string, part: Tables['attempts']): void {
  const whole = unexpired(rows.get('attempts', name), now)
  if (!whole) return
  const count = whole.count - (part.expires < whole.expires ? 1 : part.count)
  if (count > 0) rows.change('attempts', name, { count })
  else rows.delete('attempts', name)
}

export function attemptsOf(key: string, limit: string): string {
  return `${key} ${limit}`
}
