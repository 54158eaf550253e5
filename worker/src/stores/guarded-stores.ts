import { answerWithin } from '@latchkey/session/internal'
import { AuthError, MissingBinding, StoreUnavailable } from '../errors.js'
import { type AnyMethod, ledgerOf, methods } from './ledger/methods.js'
import type { SessionStore, Stores } from './ports.js'

/** A store that has not answered by then counts as failed. Milliseconds. */
const STORE_TIMEOUT = 5_000

/** The action that a failed method could not do, for the error's message. */
const SESSION_METHODS: { readonly [Name in keyof SessionStore]: string } = {
  get: 'read a session record',
  put: 'write a session record',
  delete: 'delete a session record',
  list: 'list session records',
}

/**
 * The same stores, with one kind of error for every failure (a throw, no answer, a damaged value),
 * so that a caller can fail closed in one place. Without stores every call fails with the reason,
 * and routes that store nothing still work.
 */
export function guardedStores(stores: Stores | MissingBinding, timeout = STORE_TIMEOUT): Stores {
  const guard = (kind: keyof Stores, name: string, what: string): AnyMethod => {
    if (stores instanceof MissingBinding) return () => Promise.reject(stores)
    const store = stores[kind] as unknown as Record<string, AnyMethod>
    return (...given) => attempt(what, () => (store[name] as AnyMethod)(...given), timeout)
  }
  const sessions = Object.entries(SESSION_METHODS).map(([name, what]) => [
    name,
    guard('sessions', name, what),
  ])
  return {
    sessions: Object.fromEntries(sessions) as SessionStore,
    ledger: ledgerOf((name) => guard('ledger', name, `${methods[name].does} the ledger`)),
  }
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
