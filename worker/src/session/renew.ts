import type { SessionClaims } from '@latchkey/session'
import { StoreUnavailable } from '../errors.js'
import { nowInSeconds, type RequestScope } from '../http/scope.js'
import { accessTokenOf } from '../provider-tokens/access-token.js'
import { newestTokens } from '../provider-tokens/kept-tokens.js'
import type { SessionRecord } from '../stores/ports.js'
import type { JWT } from '../types.js'
import { defaultSession, runJwt, runSession } from './callbacks.js'
import { claimsOf } from './issue.js'
import { loadSession, type StandingSession, sealKept, sessionEnd, snapshotOf } from './record.js'
import { deleteRecord, isRevoked, nameOf, revokeSession } from './revoke.js'

/**
 * What becomes of a session: a fresh token's claims; `over` for good; or `unknown`, when its record
 * is not to be seen, which a store that is late may cause too.
 */
export type Renewal = SessionClaims | 'over' | 'unknown'

/**
 * A fresh token for a session that goes on. Writes to KV only when the session is extended, once
 * in `updateAge`, by one of any number of parallel requests.
 *
 * @throws {StoreUnavailable} @throws {CallbackFailed}
 */
export async function renewSession(scope: RequestScope, claims: SessionClaims): Promise<Renewal> {
  const standing = await loadSession(scope, claims)
  if (typeof standing === 'string') return standing
  const { record } = standing
  const isOld = nowInSeconds(scope) - record.updated >= scope.config.session.updateAge
  if (!isOld || !(await mayExtend(scope, record))) return rebuild(scope, standing)
  const token = await askJwt(scope, standing)
  if (token === null) return end(scope, claims)
  const now = nowInSeconds(scope)
  const expires = sessionEnd(scope, now, record.created)
  try {
    return await keep(scope, { ...standing, record: { ...record, updated: now, expires }, token })
  } catch (error) {
    // The session stands; only its extension waits for the next time.
    if (!(error instanceof StoreUnavailable)) throw error
    scope.config.logger.error(error)
    return (await hasEnded(scope, record)) ? 'over' : rebuild(scope, standing)
  }
}

/**
 * The session after the app's callbacks have seen the data of an update. Without a `jwt` callback
 * there is nothing to keep, and nothing is written.
 *
 * @throws {StoreUnavailable} @throws {CallbackFailed}
 */
export async function updateSession(
  scope: RequestScope,
  claims: SessionClaims,
  data: unknown,
): Promise<Renewal> {
  const standing = await loadSession(scope, claims)
  if (typeof standing === 'string') return standing
  if (!scope.config.callbacks.jwt) return rebuild(scope, standing, { data })
  const token = await askJwt(scope, standing, { data })
  if (token === null) return end(scope, claims)
  return keep(scope, { ...standing, token }, { data })
}

interface Update {
  readonly data: unknown
}

/** One request extends; the name changes every hour, so that a failed attempt is not the last. */
async function mayExtend(scope: RequestScope, { sid, updated }: SessionRecord): Promise<boolean> {
  const now = nowInSeconds(scope)
  const name = `extend:${sid}:${updated}:${Math.floor(now / 3600)}`
  return scope.config.stores.ledger.consume(name, now + 3600)
}

/** Writes the record and makes its token. */
async function keep(
  scope: RequestScope,
  standing: StandingSession,
  update?: Update,
): Promise<Renewal> {
  const { record, device } = standing
  const token = snapshotOf(standing.token)
  const session = await sessionOf(scope, standing, update)
  const tokens = await newestTokens(scope, standing)
  const sealed = await sealKept(scope, record.sid, { token, tokens, device }, record.expires)
  const kept = { ...record, sealed }
  await scope.config.stores.sessions.put(kept)
  return (await hasEnded(scope, kept)) ? 'over' : claimsOf(scope, kept, session)
}

/** A sign-out that came beside a write wins: no fresh token, and no record left. */
async function hasEnded(scope: RequestScope, record: SessionRecord): Promise<boolean> {
  const isOver = await isRevoked(scope, nameOf(record))
  if (isOver) deleteRecord(scope, record)
  return isOver
}

async function rebuild(
  scope: RequestScope,
  standing: StandingSession,
  update?: Update,
): Promise<Renewal> {
  const session = await sessionOf(scope, standing, update)
  const mayHaveWaited = scope.config.callbacks.session !== undefined
  if (mayHaveWaited && (await isRevoked(scope, nameOf(standing.record)))) return 'over'
  return claimsOf(scope, standing.record, session)
}

async function askJwt(
  scope: RequestScope,
  standing: StandingSession,
  update?: Update,
): Promise<JWT | null> {
  return runJwt(scope, {
    token: standing.token,
    ...(update ? { trigger: 'update' as const, session: update.data } : {}),
    getAccessToken: () => accessTokenOf(scope, standing),
  })
}

async function sessionOf(
  scope: RequestScope,
  standing: StandingSession,
  update?: Update,
): Promise<Record<string, unknown>> {
  const { record, token } = standing
  return runSession(scope, {
    session: defaultSession({ ...token, sub: record.sub }, record.expires),
    token,
    ...(update ? { trigger: 'update' as const, newSession: update.data } : {}),
    getAccessToken: () => accessTokenOf(scope, standing),
  })
}

async function end(scope: RequestScope, claims: SessionClaims): Promise<'over'> {
  await revokeSession(scope, claims)
  return 'over'
}
