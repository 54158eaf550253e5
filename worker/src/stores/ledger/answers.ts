import { isRecord } from '@latchkey/session/internal'
import type { RevocationLines } from '../ports.js'

// The answers of the ledger's methods: the type of a promise does not check what a store sends.

export function isBoolean(answer: unknown): answer is boolean {
  return typeof answer === 'boolean'
}

export function isState<State extends string>(
  answer: unknown,
  states: readonly State[],
): answer is { readonly state: State; readonly sealed?: unknown; readonly document?: unknown } {
  return isRecord(answer) && states.includes(answer.state as State)
}

export function isRefreshedTokens(answer: unknown): boolean {
  return isRecord(answer) && isNumber(answer.version) && typeof answer.sealed === 'string'
}

export function isRefreshClaim(answer: unknown): boolean {
  if (isState(answer, ['yours', 'taken', 'over'])) return true
  return isState(answer, ['newer']) && isRefreshedTokens(answer)
}

export function isRedemption(answer: unknown): boolean {
  if (isState(answer, ['wrong', 'spent', 'over'])) return true
  if (!isState(answer, ['redeemed']) || typeof answer.sealed !== 'string') return false
  return isDocumentOrNone(answer.document)
}

function isDocument(answer: unknown): answer is Record<string, unknown> {
  if (!isRecord(answer) || !isNumber(answer.version)) return false
  return answer.content === null || typeof answer.content === 'string'
}

export function isDocumentOrNone(answer: unknown): boolean {
  return answer === undefined || isDocument(answer)
}

export function isDocuments(answer: unknown): answer is readonly unknown[] {
  return isList(answer, (one) => one === null || isDocument(one))
}

export function isLiveDocument(answer: unknown): boolean {
  if (!isRecord(answer) || !isBoolean(answer.isOver) || !isBoolean(answer.isChanged)) return false
  const { isOver, isChanged, document, deleted } = answer
  if ((isOver && isChanged) || (deleted !== undefined && !isNumber(deleted))) return false
  return document === undefined ? !isChanged : isDocument(document) && document.content !== null
}

/** Another home's documents would be taken for this one's. */
export function isListOf(answer: unknown, home: string, kinds: readonly string[]): boolean {
  const isOwn = (key: unknown) => kinds.some((kind) => String(key).startsWith(`${kind}\n${home}\n`))
  return isList(answer, (one) => isDocument(one) && isOwn(one.key))
}

export function isEntrance(answer: unknown): boolean {
  if (!isRecord(answer) || !isBoolean(answer.isFirst)) return false
  return isDocumentOrNone(answer.document) && isDocumentOrNone(answer.person ?? undefined)
}

export function isDecidedCutoff(answer: unknown): boolean {
  return isRecord(answer) && isCutoff(answer) && isNumber(answer.expires)
}

export function isRevokedLately(answer: unknown): boolean {
  if (!isRecord(answer) || !isNumber(answer.next) || !isBoolean(answer.hasMore)) return false
  const { sessions, users } = answer
  const isEnded = (one: unknown) => isRecord(one) && typeof one.sid === 'string' && isNumber(one.at)
  return isList(sessions, isEnded) && isList(users, isCutoff)
}

export function isCollected(answer: unknown): answer is RevocationLines {
  if (!isRecord(answer) || !isNumber(answer.next) || !isBoolean(answer.hasMore)) return false
  const { seconds, users } = answer
  const isSecond = (one: unknown) =>
    Array.isArray(one) && isNumber(one[0]) && typeof one[1] === 'string'
  return isList(seconds, isSecond) && isList(users, isCutoff)
}

function isList(value: unknown, isMember: (one: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isMember)
}

function isCutoff(value: unknown): boolean {
  if (!isRecord(value)) return false
  const { sub, until, except } = value
  const isExcept = except === undefined || typeof except === 'string'
  return typeof sub === 'string' && isNumber(until) && isExcept
}

export function isNumber(value: unknown): value is number {
  return Number.isFinite(value)
}

/** The numbers of objects in an answer. An object of the version before, or a store of an app, gives another one. */
export function numbersIn(answer: unknown): readonly number[] {
  const isCount = (one: unknown): one is number => Number.isInteger(one) && (one as number) > 0
  return Array.isArray(answer) ? answer.filter(isCount) : []
}
