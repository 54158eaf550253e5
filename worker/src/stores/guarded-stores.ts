import { AuthError, MissingBinding, StoreUnavailable } from '../errors.js'
import { within } from '../lib/within.js'
import type { Ledger, SessionStore } from './ports.js'

export interface Stores {
  readonly sessions: SessionStore
  readonly ledger: Ledger
}

/** A store that has not answered by then counts as failed. Milliseconds. */
const STORE_TIMEOUT = 5_000

/**
 * The same stores, whose every failure (a throw, a silence, a damaged value) is one kind of error,
 * so that a caller can fail closed in one place. Where there are none, every use fails with the
 * reason, and routes that keep nothing still work.
 */
export function guardedStores(stores: Stores | MissingBinding, timeout = STORE_TIMEOUT): Stores {
  const { sessions, ledger } = stores as Stores
  const guard = <Result>(what: string, run: () => Promise<Result>) =>
    stores instanceof MissingBinding ? Promise.reject(stores) : attempt(what, run, timeout)
  return {
    sessions: {
      get: (sub, sid) => guard('read a session record', () => sessions.get(sub, sid)),
      put: (record) => guard('write a session record', () => sessions.put(record)),
      delete: (sub, sid) => guard('delete a session record', () => sessions.delete(sub, sid)),
      list: (sub) => guard('list session records', () => sessions.list(sub)),
    },
    ledger: {
      consume: (name, expires) => guard('use the ledger', () => ledger.consume(name, expires)),
      revoke: (sid, until) => guard('write the ledger', () => ledger.revoke(sid, until)),
      isRevoked: (sid, owner) => guard('read the ledger', () => ledger.isRevoked(sid, owner)),
      cutOff: (cutoff, expires, began) =>
        guard('write the ledger', () => ledger.cutOff(cutoff, expires, began)),
      revokedSince: (since) => guard('read the ledger', () => ledger.revokedSince(since)),
      refreshedTokens: (sid) => guard('read the ledger', () => ledger.refreshedTokens(sid)),
      claimRefresh: (sid, version, expires) =>
        guard('use the ledger', () => ledger.claimRefresh(sid, version, expires)),
      settleRefresh: (sid, version, sealed) =>
        guard('write the ledger', () => ledger.settleRefresh(sid, version, sealed)),
      admit: (key, limits) => guard('use the ledger', () => ledger.admit(key, limits)),
      forgive: (key, limits) => guard('write the ledger', () => ledger.forgive(key, limits)),
      startVerification: (key, verification) =>
        guard('write the ledger', () => ledger.startVerification(key, verification)),
      findVerification: (key, link) =>
        guard('read the ledger', () => ledger.findVerification(key, link)),
      redeemVerification: (key, proof) =>
        guard('use the ledger', () => ledger.redeemVerification(key, proof)),
      withdrawVerification: (key, link) =>
        guard('write the ledger', () => ledger.withdrawVerification(key, link)),
    },
  }
}

async function attempt<Result>(
  what: string,
  run: () => Promise<Result>,
  timeout: number,
): Promise<Result> {
  try {
    return await within(timeout, run())
  } catch (error) {
    if (error instanceof AuthError) throw error
    throw new StoreUnavailable(`Could not ${what}.`, { cause: error })
  }
}
