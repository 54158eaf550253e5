import { answerWithin } from '@latchkey/session/internal'
import { AuthError, MissingBinding, StoreUnavailable } from '../errors.js'
import { type AnyMethod, answerOf, ledgerOf, methods } from './ledger/methods.js'
import type { RecentEndings, SessionStore, Stores } from './ports.js'
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
}

/**
 * The same stores, with one kind of error for every failure (a throw, no answer, an answer that is
 * none), so that a caller can fail closed in one place. Without stores every call fails with the
 * reason, and routes that store nothing still work.
 */
export function guardedStores(stores: Stores | MissingBinding, timeout = STORE_TIMEOUT): Stores {
  if (stores instanceof MissingBinding) {
    const fail = () => Promise.reject(stores)
    return { sessions: sessionsOf(() => fail), ledger: ledgerOf(() => fail) }
  }
  const { ledger, drawSid, endings } = stores
  const sessions = stores.sessions as unknown as Record<keyof SessionStore, AnyMethod>
  return {
    sessions: sessionsOf((name) => async (...given) => {
      const isListed = name === 'deleteAll' && !sessions.deleteAll
      const [sub] = given as [string]
      if (name === 'isEmpty' && !sessions.isEmpty) return false
      const run = () => (isListed ? deleteListed(stores.sessions, sub) : sessions[name](...given))
      const answer = await attempt(SESSION_METHODS[name], run, timeout)
      return readable(name, answer, given as [string, string])
    }),
    ledger: ledgerOf(
      (name) =>
        (...given) =>
          attempt(`${methods[name].does} the ledger`, () => answerOf(ledger, name, given), timeout),
    ),
    ...(drawSid ? { drawSid } : {}),
    ...(endings ? { endings: guardedEndings(endings, timeout) } : {}),
  }
}

/** So often a store is asked what is left: a hundred records at a time, a person has no more. */
const MAX_ROUNDS = 100

/** For a store of somebody's own, which may lack the method, and may list what it has deleted. */
async function deleteListed(sessions: SessionStore, sub: string): Promise<void> {
  const deleted = new Set<string>()
  for (let rounds = 0; rounds < MAX_ROUNDS; rounds++) {
    const found = (await sessions.list(sub)).filter(({ sid }) => !deleted.has(sid))
    if (found.length === 0) return
    await Promise.all(found.map(({ sid }) => sessions.delete(sub, sid)))
    for (const { sid } of found) deleted.add(sid)
  }
}

function guardedEndings(endings: RecentEndings, timeout: number): RecentEndings {
  const revokedSince: RecentEndings['revokedSince'] = (...given) =>
    attempt('read the ledger', () => endings.revokedSince(...given), timeout)
  return { ...endings, revokedSince }
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
  if (name !== 'list') return undefined
  if (!Array.isArray(answer)) throw new StoreUnavailable(`Could not ${SESSION_METHODS.list}.`)
  return answer
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
    throw new StoreUnavailable(`Could not ${what}.`, { cause: error })
  }
}
