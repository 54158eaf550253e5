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
  readonly isAnswer?: (answer: unknown, ...args: Parameters<Required<Ledger>[Name]>) => boolean
}

/** Every method of the ledger, for guarding. */
export const methods: { readonly [Name in keyof Ledger]-?: Method<Name> } = {
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
  // An app's own store may lack these, and then has everything in one place.
  if (name === 'erase' && !ledger.erase) {
    const [cutoff, , expires] = args as Parameters<Required<Ledger>['erase']>
    return ledger.cutOff(cutoff, expires)
  }
  if ((name === 'repeatCutOff' || name === 'forget') && !ledger[name]) return undefined
  // Without documents no person has more than one way to sign in.
  if (name === 'document' || name === 'enter' || name === 'isConsumed') {
    try {
      if (ledger[name]) return await (ledger[name] as AnyMethod)(...args)
    } catch (error) {
      // A mistake in the method must not read as "there is no document", by which a second factor is asked for.
      if (!isUnknown(error)) throw error
    }
    const [used, expires] = args as [string, number]
    if (name === 'enter') return { isFirst: await ledger.consume(used, expires) }
    return name === 'document' ? undefined : false
  }
  if (name === 'insertDocuments') {
    try {
      if (ledger[name]) return await (ledger[name] as AnyMethod)(...args)
    } catch (error) {
      if (!isUnknown(error)) throw error
    }
    const [entries] = args as [readonly DocumentEntry[]]
    return Promise.all(entries.map((entry) => insertOne(ledger, entry)))
  }
  const answer: unknown = await (ledger[name] as AnyMethod)(...args)
  return name === 'forgive' && !ledger.document ? undefined : answer
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

/** Ledgers that this package has made, whose answers leave nothing out. */
const made = new WeakSet<object>()

/** A ledger as good as one of this package. */
export function asMade<Whole extends object>(ledger: Whole): Whole {
  made.add(ledger)
  return ledger
}

/** A ledger each of whose methods is made by the same function. */
export function ledgerOf(make: (name: keyof Ledger) => AnyMethod): Required<Ledger> {
  const names = Object.keys(methods) as (keyof Ledger)[]
  const ledger = Object.fromEntries(names.map((name) => [name, make(name)]))
  return asMade(ledger) as unknown as Required<Ledger>
}

/**
 * The answer about a way, with the document that names its owner. An app's own ledger may have left
 * the document out, and a sign-in would then skip the second factor: so it is read again.
 *
 * @param answer as the ledger gave it
 */
export async function withDocument(
  ledger: Ledger,
  name: keyof Ledger,
  args: readonly unknown[],
  answer: unknown,
): Promise<unknown> {
  const key = made.has(ledger) ? undefined : documentLeftOut(name, args, answer)
  if (key === undefined) return answer
  const document = await answerOf(ledger, 'document', [key])
  return name === 'forgive' || document === undefined
    ? (document ?? answer)
    : { ...(answer as object), document }
}

function documentLeftOut(
  name: keyof Ledger,
  args: readonly unknown[],
  answer: unknown,
): string | undefined {
  const { isFirst, state, document } = (answer ?? {}) as Partial<Record<string, unknown>>
  if (name === 'forgive' && answer === undefined && args[2] !== undefined) return `way\n${args[2]}`
  if (document !== undefined) return undefined
  if (name === 'redeemVerification' && state === 'redeemed') return `way\n${args[0]}`
  return name === 'enter' && isFirst ? (args[2] as string) : undefined
}
