import type { Operations } from '../types/auth-handler.js'
import type { AccessToken } from '../types.js'
import { checkedProvider, checkedSub, checkedWhose } from './checked-arguments.js'

/** A method of `createAuth()` and of `AuthService`. */
interface Described {
  /** The feature that has it; left out: every service has. */
  readonly feature?: string
  /** What its arguments are. */
  readonly takes: readonly (keyof typeof CHECKS)[]
  /** It never throws: the reason is in its answer. */
  readonly isSafe?: true
}

const CHECKS = { sub: checkedSub, provider: checkedProvider, whose: checkedWhose }

/** The methods of whoever runs the service, by their names. */
export const OPERATIONS: Readonly<Record<keyof Operations, Described>> = {
  getAccessTokenOf: { feature: 'connections', takes: ['sub', 'provider'], isSafe: true },
  disconnect: { feature: 'connections', takes: ['sub', 'provider'] },
  endSessions: { takes: ['whose'] },
  listWays: { feature: 'ways', takes: ['sub'] },
  deletePerson: { feature: 'people', takes: ['sub'] },
  resetFactors: { feature: 'second-factor', takes: ['sub'] },
  exportPerson: { feature: 'people', takes: ['sub'] },
}

/**
 * The arguments of a method, as it takes them. Another Worker may be the caller, whose arguments no compiler has checked.
 *
 * @throws {TypeError} naming the argument that is wrong
 */
export function checkedArguments(name: keyof Operations, given: readonly unknown[]): unknown[] {
  return OPERATIONS[name].takes.map((kind, at) => CHECKS[kind](given[at], name))
}

/** Answers for a method that never throws. */
export const NO_TOKEN: AccessToken = { ok: false, reason: 'no-token' }
export const UNAVAILABLE: AccessToken = { ok: false, reason: 'unavailable' }
