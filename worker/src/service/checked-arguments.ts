import { isRecord } from '@latchkey/session/internal'
import { pattern } from '../lib/pattern.js'
import type { SoughtPerson } from '../types/audit.js'
import type { OneSession, WhomToBlock, WhoseClaims, WhoseSessions } from '../types/auth-handler.js'
import type { SubjectOfCompany } from '../types/of-features.js'

// A caller may be another Worker, whose arguments no compiler has checked.

/** The longest `sub` and `sid`, in characters, of which some have two units. */
const MAX_NAME = 255

/** @throws {TypeError} */
export function checkedWhose(whose: unknown): WhoseSessions {
  const { sub, except } = isRecord(whose) ? whose : {}
  if (!isName(sub)) {
    throw new TypeError(
      `endSessions needs the person's id: { sub }, of 1 to ${MAX_NAME} characters.`,
    )
  }
  if (except === undefined) return { sub }
  if (isName(except)) return { sub, except }
  throw new TypeError('endSessions takes the sid of the session that goes on as "except".')
}

/** @throws {TypeError} naming the method */
export function checkedSession(one: unknown, method: string): OneSession {
  const { sub, session } = isRecord(one) ? one : {}
  const checked = checkedSub(sub, method)
  if (isName(session)) return { sub: checked, session }
  throw needs(method, 'the id of a session (session)')
}

/** @throws {TypeError} naming the method */
export function checkedClaims(whose: unknown, method: string): WhoseClaims {
  const { sub, session } = isRecord(whose) ? whose : {}
  const checked = { sub: checkedSub(sub, method) }
  if (session === undefined) return checked
  if (isName(session)) return { ...checked, session }
  throw new TypeError(`${method} takes the id of a session as "session".`)
}

/** @throws {TypeError} naming the method */
export function checkedSubjectOfCompany(who: unknown, method: string): SubjectOfCompany {
  const { company, subject } = isRecord(who) ? who : {}
  if (!isName(company)) throw needs(method, 'the id of a company (company)')
  if (isName(subject)) return { company, subject }
  throw needs(method, 'the `sub` of its provider (subject)')
}

/** The longest place in a list of people, in characters: that of KV is a text of its own. */
const MAX_CURSOR = 2_000

/** The longest reason of a block, in characters. */
const MAX_REASON = 200
/** Control characters and lone surrogates. */
const unsound = pattern(String.raw`[\p{Cc}\p{Cs}]`, 'u')

/** @throws {TypeError} naming the method */
export function checkedBlock(whom: unknown, method: string): WhomToBlock {
  const { sub, reason } = isRecord(whom) ? whom : {}
  const checked = { sub: checkedSub(sub, method) }
  if (reason === undefined) return checked
  if (isName(reason, MAX_REASON) && !unsound().test(reason)) return { ...checked, reason }
  throw needs(method, 'a reason without control characters', MAX_REASON)
}

/** @throws {TypeError} naming the method */
export function checkedSub(sub: unknown, method: string): string {
  if (isName(sub)) return sub
  throw needs(method, "the person's id (sub)")
}

/** @throws {TypeError} naming the method */
export function checkedProvider(provider: unknown, method: string): string {
  if (isName(provider)) return provider
  throw needs(method, "the provider's id (provider)")
}

function needs(method: string, what: string, max = MAX_NAME): TypeError {
  return new TypeError(`${method} needs ${what}, of 1 to ${max} characters.`)
}

/** @throws {TypeError} naming the method */
export function checkedApp(clientId: unknown, method: string): string {
  if (isName(clientId)) return clientId
  throw new TypeError(`${method} needs the client_id of the app.`)
}

/** @throws {TypeError} naming the method */
export function checkedAsked(asked: unknown, method: string): unknown {
  if (isRecord(asked)) return asked
  throw new TypeError(`${method} needs an object with a name and scopes.`)
}

/** @throws {TypeError} naming the method */
export function checkedKeyId(id: unknown, method: string): string | undefined {
  if (id === undefined || isName(id)) return id
  throw new TypeError(`${method} needs the id of a key, or undefined for all of them.`)
}

/** @throws {TypeError} naming the method */
export function checkedRecordId(id: unknown, method: string): string {
  if (isName(id)) return id
  throw needs(method, 'the id of a record (id)')
}

/** @throws {TypeError} naming the method */
export function checkedSought(sought: unknown, method: string): SoughtPerson {
  const { email, person, after } = isRecord(sought) ? sought : {}
  if (email !== undefined && person === undefined && after === undefined) {
    if (isName(email)) return { email }
    throw needs(method, 'an address (email)')
  }
  if (email !== undefined || !isName(person)) {
    throw new TypeError(`${method} needs an address (email), or the person of a log line (person).`)
  }
  if (after === undefined) return { person }
  if (isName(after, MAX_CURSOR)) return { person, after }
  throw needs(method, 'the `next` of an answer (after)', MAX_CURSOR)
}

/** What its members are is the matter of the method. @throws {TypeError} naming the method */
export function checkedQuery(query: unknown = {}, method: string): object {
  if (isRecord(query)) return query
  throw new TypeError(`${method} takes an object, or undefined.`)
}

function isName(value: unknown, max = MAX_NAME): value is string {
  if (typeof value !== 'string' || value === '' || value.length > 2 * max) return false
  return [...value].length <= max
}
