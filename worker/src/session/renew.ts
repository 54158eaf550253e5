import type { SessionClaims } from '@latchkey/session'
import { StoreUnavailable } from '../errors.js'
import { nowInSeconds, type RequestScope } from '../http/scope.js'
import { isRecord } from '../is-record.js'
import type { SessionRecord } from '../stores/ports.js'
import type { JWT } from '../types.js'
import { defaultSession, runJwt, runSession } from './callbacks.js'
import { claimsOf, sealToken, sessionEnd } from './issue.js'

/** A session that goes on, with what the app keeps for it. */
export interface StandingSession {
  readonly record: SessionRecord
  readonly token: JWT
}

/**
 * The record of a session that is not over, or `undefined`. The ledger is asked as well, since
 * KV may still show the record of a revoked session.
 *
 * @throws {StoreUnavailable}
 */
export async function loadSession(
  scope: RequestScope,
  { sub, sid }: SessionClaims,
): Promise<StandingSession | undefined> {
  const { stores, keys } = scope.config
  const { sessions, ledger } = stores
  const [record, isRevoked] = await Promise.all([sessions.get(sub, sid), ledger.isRevoked(sid)])
  if (!record || isRevoked) return undefined
  // A limit that was shortened since applies to the sessions that exist.
  if (sessionEnd(scope, record.updated, record.created) <= nowInSeconds(scope)) return undefined
  const opened = await keys.record.open(record.sealed)
  if (opened?.sid !== sid || !isRecord(opened.token)) {
    throw new StoreUnavailable('A session record cannot be decrypted.')
  }
  return { record, token: opened.token }
}

/**
 * A fresh token for a session that goes on: `undefined` when it does not. Writes to KV only when
 * the session is extended, at most once in `updateAge`.
 *
 * @throws {StoreUnavailable}
 */
export async function renewSession(
  scope: RequestScope,
  claims: SessionClaims,
): Promise<SessionClaims | undefined> {
  const standing = await loadSession(scope, claims)
  if (!standing) return undefined
  const { record, token } = standing
  if (nowInSeconds(scope) - record.updated < scope.config.session.updateAge) {
    return rebuild(scope, record, token)
  }
  return extendSession(scope, record, await runJwt(scope, { token }))
}

/** Extends a session and keeps what the `jwt` callback made of its token. */
export async function extendSession(
  scope: RequestScope,
  record: SessionRecord,
  token: JWT,
  update?: { readonly data: unknown },
): Promise<SessionClaims> {
  const now = nowInSeconds(scope)
  const expires = sessionEnd(scope, now, record.created)
  const sealed = await sealToken(scope, record.sid, token, expires)
  const extended = { ...record, updated: now, expires, sealed }
  const claims = await rebuild(scope, extended, token, update)
  await scope.config.stores.sessions.put(extended)
  return claims
}

async function rebuild(
  scope: RequestScope,
  record: SessionRecord,
  token: JWT,
  update?: { readonly data: unknown },
): Promise<SessionClaims> {
  const session = await runSession(scope, {
    session: defaultSession({ ...token, sub: record.sub }, record.expires),
    token,
    ...(update ? { trigger: 'update' as const, newSession: update.data } : {}),
  })
  return claimsOf(scope, record, session)
}
