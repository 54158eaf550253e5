import { documentIn, personKeyIn, type Rows } from './rows.js'
import { attempts } from './rules/attempts.js'
import { documents } from './rules/documents.js'
import { endings } from './rules/endings.js'
import { lives } from './rules/lives.js'
import { mails } from './rules/mails.js'
import { refreshes } from './rules/refreshes.js'
import { stale } from './rules/stale.js'
import type { Entrance } from './types.js'

/** One-time names. */
const names = {
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
   * Gives a one-time name back that the caller alone has consumed, since the work that it was for has failed. Nobody gives back a name
   * whose consumption was not answered: another caller may have it.
   * @param _key the document, if `enter` has consumed the name beside it
   */
  giveBack(rows: Rows, _now: number, name: string, _key?: string): void {
    rows.delete('consumed', name)
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

/**
 * The ledger's rules, one for each method, without a clock or I/O of their own, for rows in any
 * storage: `now` is in seconds since the epoch, by the clock of the process that stores the rows.
 */
const rules = {
  ...names,
  ...endings,
  ...refreshes,
  ...attempts,
  ...mails,
  ...documents,
  ...lives,
  ...stale,
}

/**
 * The strongly consistent part: actions that happen exactly once, and sessions that are over for
 * good. Each method is what its rule says, with the rows and the time of the process that has them.
 *
 * Isolates call these methods on the Durable Object, and while a deployment goes on, isolates of
 * the previous version call a new object and new isolates an old one: names, parameters and answers
 * never change; an addition is a new method, or a last parameter that may be left out.
 */
export type Ledger = { -readonly [Name in keyof typeof rules]: Method<(typeof rules)[Name]> }

type Method<Rule> = Rule extends (rows: Rows, now: number, ...args: infer Args) => infer Answer
  ? (...args: Args) => Promise<Answer>
  : never

/** The answer of a method, for code that handles all of them alike. */
export function decide(
  name: keyof Ledger,
  rows: Rows,
  now: number,
  args: readonly unknown[],
): unknown {
  const rule = rules[name] as (rows: Rows, now: number, ...args: readonly unknown[]) => unknown
  return rule(rows, now, ...args)
}
