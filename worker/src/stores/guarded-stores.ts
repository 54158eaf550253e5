import { answerWithin, isRecord } from '@latchkey/session/internal'
import { AuthError, InvalidConfiguration, MissingBinding, StoreUnavailable } from '../errors.js'
import { answerOf } from './ledger/answers.js'
import { type AnyMethod, ledgerOf, methods } from './ledger/methods.js'
import {
  MAX_LISTED,
  type PeoplePart,
  type RevocationSource,
  type SessionRecord,
  type SessionStore,
  type Stores,
} from './ports.js'
import { wholeRecord } from './whole-record.js'

/** A store that has not answered by then counts as failed. Milliseconds. */
const STORE_TIMEOUT = 5_000

/** The action that a failed method could not do, for the error's message. */
const SESSION_METHODS: { readonly [Name in keyof SessionStore]-?: string } = {
  get: 'read a session record',
  put: 'write a session record',
  delete: 'delete a session record',
  list: 'list session records',
  deleteAll: 'delete session records',
  isEmpty: 'list session records',
  people: 'list people',
}

/**
 * The same stores, with one kind of error for every failure (a throw, no answer, an invalid
 * answer), so that a caller can fail closed in one place. Without stores every call fails with the
 * reason, and routes that store nothing still work.
 *
 * @param before runs before each call, which fails if it fails
 */
export function guardedStores(
  stores: Stores | MissingBinding,
  timeout = STORE_TIMEOUT,
  before?: () => Promise<unknown>,
): Stores {
  if (stores instanceof MissingBinding) {
    const fail = () => Promise.reject(stores)
    return { sessions: sessionsOf(() => fail), ledger: ledgerOf(() => fail) }
  }
  const { ledger, drawSid, revocations } = stores
  const sessions = stores.sessions as unknown as Record<keyof SessionStore, AnyMethod>
  const guarded = <Result>(what: string, run: () => Promise<Result>) =>
    attempt(what, before ? () => before().then(run) : run, timeout)
  return {
    sessions: sessionsOf((name) => async (...args) => {
      const isListed = name === 'deleteAll' && !sessions.deleteAll
      const [sub] = args as [string]
      if (name === 'isEmpty' && !sessions.isEmpty) return false
      if (name === 'people' && !sessions.people) return { subs: [] }
      const run = () => (isListed ? deleteListed(stores.sessions, sub) : sessions[name](...args))
      const answer = await guarded(SESSION_METHODS[name], run)
      return readable(name, answer, args as [string, string])
    }),
    ledger: ledgerOf(
      (name) =>
        (...args) =>
          guarded(`${methods[name].does} the ledger`, () => answerOf(ledger, name, args)),
    ),
    ...(drawSid ? { drawSid } : {}),
    ...(revocations ? { revocations: guardedRevocations(revocations, timeout) } : {}),
  }
}

/**
 * The most rounds that ask a store for the rest of a list: a hundred records at a time; no person
 * has more.
 */
const MAX_ROUNDS = 100

/** For a store of the app's own, which may lack the method, and may list what it has deleted. */
async function deleteListed(sessions: SessionStore, sub: string): Promise<void> {
  const deleted = new Set<string>()
  for (let rounds = 0; rounds < MAX_ROUNDS; rounds++) {
    const sids = sidsIn(await sessions.list(sub), sub).filter((sid) => !deleted.has(sid))
    if (sids.length === 0) return
    await Promise.all(sids.map((sid) => sessions.delete(sub, sid)))
    for (const sid of sids) deleted.add(sid)
  }
}

function guardedRevocations(source: RevocationSource, timeout: number): RevocationSource {
  const revokedSince: RevocationSource['revokedSince'] = (...args) =>
    attempt('read the ledger', () => source.revokedSince(...args), timeout)
  return { ...source, revokedSince }
}

function sessionsOf(make: (name: keyof SessionStore) => AnyMethod): SessionStore {
  const names = Object.keys(SESSION_METHODS) as (keyof SessionStore)[]
  return Object.fromEntries(names.map((name) => [name, make(name)])) as unknown as SessionStore
}

/** @throws {StoreUnavailable} @throws {DamagedRecord} */
function readable(name: keyof SessionStore, answer: unknown, [sub, sid]: [string, string]) {
  if (name === 'get') {
    // Databases have `null` for "no row".
    return answer === undefined || answer === null ? undefined : wholeRecord(answer, sub, sid)
  }
  if (name === 'isEmpty') return answer === true
  if (name === 'people') return peopleIn(answer)
  if (name !== 'list') return undefined
  if (!Array.isArray(answer)) throw new StoreUnavailable(`Could not ${SESSION_METHODS.list}.`)
  return listedOf(answer, sub)
}

/** @throws {StoreUnavailable} */
function peopleIn(answer: unknown): PeoplePart {
  const { subs, next } = isRecord(answer) ? answer : {}
  const isList = Array.isArray(subs) && subs.every((sub) => typeof sub === 'string')
  if (!isList) throw new StoreUnavailable(`Could not ${SESSION_METHODS.people}.`)
  return typeof next === 'string' ? { subs, next } : { subs }
}

/** A list shows no session of another person, and no damaged record, and hides no other one for it. */
function listedOf(answer: readonly unknown[], sub: string): readonly SessionRecord[] {
  const sids = new Set(sidsIn(answer, sub))
  const whole = answer.flatMap((stored) => {
    const { sid } = (stored ?? {}) as { sid?: unknown }
    // Each session stands in it once.
    if (typeof sid !== 'string' || !sids.delete(sid)) return []
    try {
      return wholeRecord(stored, sub, sid)
    } catch {
      return []
    }
  })
  return whole.slice(0, MAX_LISTED)
}

/** The ids of a person's sessions, of damaged records too. */
function sidsIn(answer: readonly unknown[], sub: string): readonly string[] {
  return answer.flatMap((stored) =>
    isRecord(stored) && stored.sub === sub && typeof stored.sid === 'string' ? stored.sid : [],
  )
}

async function attempt<Result>(
  what: string,
  run: () => Promise<Result>,
  timeout: number,
): Promise<Result> {
  try {
    return await answerWithin(timeout, run())
  } catch (error) {
    if (error instanceof AuthError) throw error
    // A store that an app loads beside its bundle has the class of another copy of this package.
    if (error instanceof Error && error.name === InvalidConfiguration.type)
      throw new InvalidConfiguration(error.message)
    throw new StoreUnavailable(`Could not ${what}.`, { cause: error })
  }
}
