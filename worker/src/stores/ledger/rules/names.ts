import { documentIn, personKeyIn, type Rows } from '../rows.js'
import type { Entrance } from '../types.js'

/** One-time names. */
export const names = {
  /**
   * Consumes a one-time name. `true` for exactly one caller, whatever the parallelism.
   * @param expires seconds since the epoch; afterwards the name may be deleted
   */
  consume(rows: Rows, _now: number, name: string, expires: number): boolean {
    if (rows.get('consumed', name)) return false
    rows.put('consumed', name, { expires })
    return true
  },

  /**
   * Was a name consumed, alone or beside a document that the caller does not know? With more than
   * 64 objects, each of which may have consumed it, the answer is unknown: `false`.
   */
  isConsumed(rows: Rows, _now: number, name: string): boolean {
    return rows.get('consumed', name) !== undefined
  },

  /**
   * Consumes a one-time name, and reads a document with the same call, and the document of the
   * person that it names. The object with the document keeps the name.
   */
  enter(rows: Rows, now: number, name: string, expires: number, key: string): Entrance {
    if (!names.consume(rows, now, name, expires)) return { isFirst: false }
    const document = documentIn(rows, now, key)
    const owner = personKeyIn(document?.content)
    const person = owner === undefined ? {} : { person: documentIn(rows, now, owner) ?? null }
    return { isFirst: true, ...(document ? { document, ...person } : {}) }
  },
}
