import type { DocumentEntry, Ledger, LedgerDocument } from '../ports.js'
import {
  isBoolean,
  isDecidedCutoff,
  isDocumentOrNone,
  isDocuments,
  isEntrance,
  isListOf,
  isLiveDocument,
  isNumber,
  isRedemption,
  isRefreshClaim,
  isRefreshedTokens,
  isRevokedLately,
} from './answers.js'

interface Method<Name extends keyof Ledger> {
  /** The action that cannot be done when the method fails, for the error's message. */
  readonly does: 'read' | 'use' | 'write'
  /** Is this an answer of the method at all? Absent: its answer is not used. */
  readonly isAnswer?: (answer: unknown, ...args: Parameters<Ledger[Name]>) => boolean
}

/** Every method of the ledger, for guarding. */
export const methods: { readonly [Name in keyof Ledger]: Method<Name> } = {
  consume: { does: 'use', isAnswer: isBoolean },
  revoke: { does: 'write' },
  isRevoked: { does: 'read', isAnswer: isBoolean },
  cutOff: { does: 'write', isAnswer: isBoolean },
  repeatCutOff: {
    does: 'write',
    isAnswer: (answer) => answer === undefined || isDecidedCutoff(answer),
  },
  erase: { does: 'write' },
  forget: { does: 'write' },
  revokedSince: { does: 'read', isAnswer: isRevokedLately },
  refreshedTokens: {
    does: 'read',
    isAnswer: (answer) => answer === undefined || isRefreshedTokens(answer),
  },
  claimRefresh: { does: 'use', isAnswer: isRefreshClaim },
  settleRefresh: { does: 'write' },
  admit: { does: 'use', isAnswer: (answer) => isNumber(answer) && answer >= 0 },
  forgive: { does: 'write', isAnswer: isDocumentOrNone },
  startVerification: { does: 'write' },
  findVerification: {
    does: 'read',
    isAnswer: (answer) => answer === undefined || typeof answer === 'string',
  },
  redeemVerification: { does: 'use', isAnswer: isRedemption },
  withdrawVerification: { does: 'write' },
  document: { does: 'read', isAnswer: isDocumentOrNone },
  changeDocument: { does: 'write', isAnswer: isBoolean },
  insertDocuments: {
    does: 'write',
    isAnswer: (answer, entries) => isDocuments(answer) && answer.length === entries.length,
  },
  enter: { does: 'use', isAnswer: isEntrance },
  isConsumed: { does: 'read', isAnswer: isBoolean },
  liveDocument: { does: 'use', isAnswer: isLiveDocument },
  documentsOf: { does: 'read', isAnswer: isListOf },
  endAll: { does: 'write' },
}

/**
 * Calls a method, and refuses an invalid answer: it could let a stranger in, or end sessions that
 * are not over.
 *
 * @throws {TypeError}
 */
export async function answerOf(
  ledger: Ledger,
  name: keyof Ledger,
  args: readonly unknown[],
): Promise<unknown> {
  const answer = await asked(ledger, name, args)
  const isAnswer = methods[name].isAnswer as ((...all: unknown[]) => boolean) | undefined
  if (isAnswer?.(answer, ...args) === false) {
    throw new TypeError(`The ledger's answer to "${name}" is invalid.`)
  }
  return answer
}

async function asked(
  ledger: Ledger,
  name: keyof Ledger,
  args: readonly unknown[],
): Promise<unknown> {
  try {
    return await (ledger[name] as AnyMethod)(...args)
  } catch (error) {
    const older = isUnknown(error) ? withoutMethod[name] : undefined
    if (!older) throw error
    return older(ledger, ...(args as never[]))
  }
}

/** The answer of an object of a version before that does not know a method, while a deployment goes on. */
const withoutMethod: {
  readonly [Name in keyof Ledger]?: (
    object: Ledger,
    ...args: Parameters<Ledger[Name]>
  ) => Promise<unknown>
} = {
  document: async () => undefined,
  isConsumed: async () => false,
  enter: async (object, name, expires) => ({ isFirst: await object.consume(name, expires) }),
  insertDocuments: (object, entries) =>
    Promise.all(entries.map((entry) => insertOne(object, entry))),
}

/** In the words of workerd, and of JavaScript: the other side's class has no such method. */
export function isMissing(error: unknown): boolean {
  return isUnknown(error) || (error instanceof TypeError && /not a function/.test(error.message))
}

/** In the words of workerd alone: an object of a version before does not know the method. */
function isUnknown(error: unknown): boolean {
  return error instanceof TypeError && error.message.includes('does not implement')
}

/** What one reading of a document may find changed meanwhile. */
const MAX_TRIES = 4

/** Writes a document unless it is there, by the methods that change one. */
async function insertOne(
  object: Ledger,
  { key, content }: DocumentEntry,
): Promise<LedgerDocument | null> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const answer = (await answerOf(object, 'document', [key])) as LedgerDocument | undefined
    if (answer && answer.content !== null) return answer
    if (content === null) return null
    if (await answerOf(object, 'changeDocument', [key, answer?.version ?? 0, content])) return null
  }
  throw new Error('A document changes faster than it can be written.')
}

/** Any method, for code that handles all of them alike. */
export type AnyMethod = (...args: readonly unknown[]) => Promise<unknown>

/** Marks a ledger of this package: also of another copy of it, which an app loads beside its bundle. */
export const OWN = Symbol.for('latchkey.ledger')

/** Has this package made the ledger? No other one is used, since a store gives rows alone. */
export function isOwnLedger(ledger: unknown): ledger is Ledger {
  return typeof ledger === 'object' && ledger !== null && OWN in ledger
}

/** A ledger each of whose methods is made by the same function. */
export function ledgerOf(make: (name: keyof Ledger) => AnyMethod): Ledger {
  const names = Object.keys(methods) as (keyof Ledger)[]
  const ledger = Object.fromEntries(names.map((name) => [name, make(name)]))
  return { ...ledger, [OWN]: true } as unknown as Ledger
}
