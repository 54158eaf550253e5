import { METHODS } from '../config/manifests.js'
import type { Operations } from '../types/auth-handler.js'
import type { AccessToken } from '../types.js'
import {
  checkedApp,
  checkedAsked,
  checkedBlock,
  checkedClaims,
  checkedKeyId,
  checkedProvider,
  checkedQuery,
  checkedRecordId,
  checkedSession,
  checkedSought,
  checkedSub,
  checkedSubjectOfCompany,
  checkedWhose,
} from './checked-arguments.js'

/** What a key of the operator API may do: `manage` includes `read`. */
export type OperationScope = 'read' | 'manage'

/** A method of `createAuth()` and of `AuthService`. */
interface Described {
  /** What its arguments are. */
  readonly takes: readonly (keyof typeof ARGUMENTS)[]
  /** The scope of the operator API that it needs. Left out: that API does not have it. */
  readonly scope?: OperationScope
  /** It never throws: the reason is in its answer. */
  readonly isSafe?: true
}

interface Argument {
  /** @throws {TypeError} naming the method, and the member if it is one, and never the value */
  readonly check: (value: unknown, method: string) => unknown
  /**
   * The members of a body of the operator API that make this argument; one that may be left out has `?` behind its name. Left
   * out: the argument is the member of its own name.
   */
  readonly members?: readonly string[]
}

const ARGUMENTS = {
  sub: { check: checkedSub },
  provider: { check: checkedProvider },
  whose: { check: checkedWhose, members: ['sub', 'except?'] },
  sought: { check: checkedSought, members: ['email?', 'person?', 'after?'] },
  session: { check: checkedSession, members: ['sub', 'session'] },
  claims: { check: checkedClaims, members: ['sub', 'session?'] },
  block: { check: checkedBlock, members: ['sub', 'reason?'] },
  app: { check: checkedApp },
  asked: { check: checkedAsked },
  keyId: { check: checkedKeyId },
  companySubject: { check: checkedSubjectOfCompany, members: ['company', 'subject'] },
  id: { check: checkedRecordId },
  query: {
    check: checkedQuery,
    members: ['sub?', 'ip?', 'event?', 'since?', 'until?', 'after?', 'limit?'],
  },
} satisfies Readonly<Record<string, Argument>>

/** The methods for the operator, by their names: those that every service has, and those of features. */
export const OPERATIONS: Readonly<Record<keyof Operations, Described>> = METHODS

/** The same for the operator API, which gets names as texts. */
export const METHOD_TABLE: {
  readonly operations: Readonly<Record<string, Described>>
  readonly takes: Readonly<Record<string, Argument>>
} = { operations: OPERATIONS, takes: ARGUMENTS }

/** The feature that has a method; empty: every service has it, or none. */
export function featureOf(method: string): string {
  const known = Object.hasOwn(METHODS, method) ? METHODS[method as keyof typeof METHODS] : undefined
  return known && 'feature' in known ? known.feature : ''
}

/**
 * The arguments of a method, as it takes them. Another Worker may be the caller, whose arguments no compiler has checked.
 *
 * @throws {TypeError} naming the argument that is wrong
 */
export function checkedArguments(name: keyof Operations, args: readonly unknown[]): unknown[] {
  return OPERATIONS[name].takes.map((kind, at) => ARGUMENTS[kind].check(args[at], name))
}

/** Answers for a method that never throws. */
export const NO_TOKEN: AccessToken = { ok: false, reason: 'no-token' }
export const UNAVAILABLE: AccessToken = { ok: false, reason: 'unavailable' }
