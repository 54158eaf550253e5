import type { Ledger } from '../ports.js'
import { documentIn, personKeyIn, type Rows, type Rules } from './rows.js'
import { attempts } from './rules/attempts.js'
import { documents } from './rules/documents.js'
import { endings } from './rules/endings.js'
import { lives } from './rules/lives.js'
import { mails } from './rules/mails.js'
import { refreshes } from './rules/refreshes.js'

/** One-time names. */
const names: Rules<'consume' | 'isConsumed' | 'enter'> = {
  consume(rows, _now, name, expires) {
    if (rows.get('consumed', name)) return false
    rows.put('consumed', name, { expires })
    return true
  },

  isConsumed: (rows, _now, name) => rows.get('consumed', name) !== undefined,

  enter(rows, now, name, expires, key) {
    if (!names.consume(rows, now, name, expires)) return { isFirst: false }
    const document = documentIn(rows, now, key)
    const owner = personKeyIn(document?.content)
    const person = owner === undefined ? {} : { person: documentIn(rows, now, owner) ?? null }
    return { isFirst: true, ...(document ? { document, ...person } : {}) }
  },
}

/**
 * The ledger's rules, one for each method, without a clock or I/O of their own, for rows in any
 * storage. {@link Ledger} documents the methods.
 */
const rules: Rules<keyof Ledger> = {
  ...names,
  ...endings,
  ...refreshes,
  ...attempts,
  ...mails,
  ...documents,
  ...lives,
}

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
