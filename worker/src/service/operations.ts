import { METHODS } from '../config/feature-names.js'
import type { Operations } from '../types/auth-handler.js'
import type { AccessToken } from '../types.js'
import {
  checkedApp,
  checkedAsked,
  checkedKeyId,
  checkedProvider,
  checkedSub,
  checkedWhose,
} from './checked-arguments.js'

/** What a key of the operator API may do: `manage` includes `read`. */
export type OperationScope = 'read' | 'manage'

/** A method of `createAuth()` and of `AuthService`. */
interface Described {
  /** What its arguments are. */
  readonly takes: readonly (keyof typeof CHECKS)[]
  /** It never throws: the reason is in its answer. */
  readonly isSafe?: true
}

const CHECKS = {
  sub: checkedSub,
  provider: checkedProvider,
  whose: checkedWhose,
  app: checkedApp,
  asked: checkedAsked,
  keyId: checkedKeyId,
}

/** The methods for the operator, by their names. */
export const OPERATIONS: Readonly<Record<keyof Operations, Described>> = {
  getAccessTokenOf: { takes: ['sub', 'provider'], isSafe: true },
  disconnect: { takes: ['sub', 'provider'] },
  endSessions: { takes: ['whose'] },
  listWays: { takes: ['sub'] },
  deletePerson: { takes: ['sub'] },
  resetFactors: { takes: ['sub'] },
  exportPerson: { takes: ['sub'] },
  listApps: { takes: ['sub'] },
  endApp: { takes: ['sub', 'app'] },
  createKey: { takes: ['sub', 'asked'] },
  listKeys: { takes: ['sub'] },
  endKey: { takes: ['sub', 'keyId'] },
}

/**
 * What every service has, or a runtime calls of itself: a method under one of these would take the place of the service, or
 * be there for any mail and message.
 */
const TAKEN = new Set([
  ...['fetch', 'request', 'getAccessToken', 'then', 'toJSON'],
  ...['scheduled', 'queue', 'email', 'tail', 'tailStream', 'trace', 'test', 'connect', 'alarm'],
])

/** May a feature have a method of this name? One that is known here is that of one feature. */
export function mayBeMethod(name: string, feature: string): boolean {
  const description = new Map<string, Described>(Object.entries(OPERATIONS)).get(name)
  return description ? METHODS[name] === feature : !TAKEN.has(name) && !(name in Object.prototype)
}

/**
 * The arguments of a method, as it takes them. Another Worker may be the caller, whose arguments no compiler has checked.
 *
 * @throws {TypeError} naming the argument that is wrong
 */
export function checkedArguments(name: keyof Operations, args: readonly unknown[]): unknown[] {
  return OPERATIONS[name].takes.map((kind, at) => CHECKS[kind](args[at], name))
}

/** Answers for a method that never throws. */
export const NO_TOKEN: AccessToken = { ok: false, reason: 'no-token' }
export const UNAVAILABLE: AccessToken = { ok: false, reason: 'unavailable' }
