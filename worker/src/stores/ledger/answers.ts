import { isRecord } from '@latchkey/session/internal'
import type { Ledger } from './rules.js'

/**
 * An object runs another version while a deployment goes on. Its answers never change, and these are checked all the
 * same: without the member, a session would not be over, a limit not be reached, or a document not be there. Every other
 * answer stops its caller if it is not what it should be.
 */
const CHECKS: {
  readonly [Name in keyof Ledger]?: (answer: unknown, entries?: unknown) => boolean
} = {
  consume: isBoolean,
  isConsumed: isBoolean,
  enter: (answer) => isRecord(answer) && isBoolean(answer.isFirst),
  isRevoked: isBoolean,
  cutOff: isBoolean,
  standing: (answer) =>
    isRecord(answer) &&
    isBoolean(answer.isOver) &&
    (answer.staleUntil === undefined || isNumber(answer.staleUntil)),
  refreshClaims: (answer) =>
    isRecord(answer) &&
    (answer.isOver === true || isNumber(answer.until) || isNumber(answer.retryAfter)),
  revokedSince: (answer) => isPartOfEndings(answer, 'sessions'),
  admit: (answer) => isNumber(answer) && answer >= 0,
  changeDocument: isBoolean,
  insertDocuments: (answer, entries) =>
    Array.isArray(answer) && answer.length === (entries as readonly unknown[]).length,
  liveDocument: (answer) =>
    isRecord(answer) && isBoolean(answer.isOver) && isBoolean(answer.isChanged),
}

/**
 * Calls a method of an object.
 *
 * @throws {TypeError} the answer is invalid
 */
export async function answerOf(
  object: Ledger,
  name: keyof Ledger,
  args: readonly unknown[],
): Promise<unknown> {
  const answer = await (object[name] as (...all: readonly unknown[]) => unknown)(...args)
  if (CHECKS[name]?.(answer, args[0]) === false) {
    throw new TypeError(`The ledger's answer to "${name}" is invalid.`)
  }
  return answer
}

/** In the words of workerd, and of JavaScript: the class on the other side, of the version before, has no such method. */
export function isMissing(error: unknown): boolean {
  return error instanceof TypeError && /does not implement|not a function/.test(error.message)
}

/** Is it a list of endings, of an object or of a collector? “Nothing ended” would let ended sessions in. */
export function isPartOfEndings(answer: unknown, sessions: 'sessions' | 'seconds'): boolean {
  if (!isRecord(answer) || !isBoolean(answer.hasMore) || !isNumber(answer.next)) return false
  if (answer.stale !== undefined && !Array.isArray(answer.stale)) return false
  return Array.isArray(answer.users) && Array.isArray(answer[sessions])
}

function isBoolean(answer: unknown): answer is boolean {
  return typeof answer === 'boolean'
}

function isNumber(value: unknown): value is number {
  return Number.isFinite(value)
}
