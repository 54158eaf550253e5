import type { SessionClaims } from '@latchkey/session'
import { beganAt } from '@latchkey/session/issue'
import { StoreUnavailable } from '../errors.js'
import { logEvent } from '../http/log-event.js'
import { type AuthRequest, nowInSeconds } from '../http/request.js'
import type { ClaimedStanding } from '../service/session-hooks.js'
import type { SessionRecord } from '../stores/ports.js'
import type { JWT, LogEvent } from '../types.js'
import { defaultSession, runJwt, runSession } from './callbacks.js'
import { claimsOf, type Proof } from './issue.js'
import { mayExtend, mayReplace } from './one-writer.js'
import { isStale, loadSession, sealValues, sessionEnd, snapshotOf } from './record.js'
import { claimedStanding, deleteRecord, isRevoked, nameOf, revokeSession } from './revoke.js'
import type { StandingSession } from './stored-values.js'

/**
 * The outcome of a renewal: a fresh token's claims; `over` for good; `nobody` when the session goes on by tokens of its browser's
 * key alone; or `unknown`, when the record is not shown, which a late store may cause too.
 */
export type Renewal = SessionClaims | 'over' | 'nobody' | 'unknown'

/**
 * A fresh token for a session that goes on. Both callbacks are asked whether it does. Writes to KV
 * only when the session is extended, once in `updateAge`, by one of any number of parallel requests.
 *
 * @param known what the ledger has just said of the session
 * @param proof of the person, and of the browser's key. Left out: that of the token, which a bound session's new token
 *   outlives by nothing
 * @throws {StoreUnavailable} @throws {CallbackFailed}
 */
export async function renewSession(
  request: AuthRequest,
  claims: SessionClaims,
  known?: ClaimedStanding,
  proof: Proof = claims,
): Promise<Renewal> {
  const loaded = await loadRenewable(request, claims, known, proof)
  if (typeof loaded === 'string') return loaded
  const by = await request.features.endedBy(request, loaded)
  if (by) return end(request, loaded, by)
  const { record } = loaded
  const isOld = nowInSeconds(request) - record.updated >= request.config.session.updateAge
  const isExtended = isOld && (await mayExtend(request, record))
  const token = await askJwt(request, loaded)
  if (token === null) return end(request, loaded)
  // The value counts for this token; it is stored when the session is extended.
  const standing = { ...loaded, token }
  if (!isExtended) return rebuild(request, standing, proof)
  const now = nowInSeconds(request)
  const expires = sessionEnd(request, now, record.created)
  try {
    const extended = { ...standing, record: { ...record, updated: now, expires } }
    return await keep(request, extended, proof)
  } catch (error) {
    // The session goes on; only its extension waits for the next request.
    if (!(error instanceof StoreUnavailable)) throw error
    request.config.logger.error(error)
    return (await hasEnded(request, record)) ? 'over' : rebuild(request, standing, proof)
  }
}

/**
 * The session after the app's callbacks got the data of an update. Without a `jwt` callback there
 * is no value to store, and nothing is written.
 *
 * @param known what the ledger has just said of the session
 * @throws {StoreUnavailable} @throws {CallbackFailed}
 */
export async function updateSession(
  request: AuthRequest,
  claims: SessionClaims,
  data: unknown,
  known?: ClaimedStanding,
): Promise<Renewal> {
  const standing = await loadRenewable(request, claims, known)
  if (typeof standing === 'string') return standing
  const by = await request.features.endedBy(request, standing)
  if (by) return end(request, standing, by)
  if (!request.config.callbacks.jwt) return rebuild(request, standing, claims, { data })
  const token = await askJwt(request, standing, { data })
  if (token === null) return end(request, standing)
  return keep(request, { ...standing, token }, claims, { data })
}

/**
 * A fresh token of the same session after a step-up. The callbacks are asked as for any renewal.
 * Nothing is written: the proof is in this token, and in no other of the session.
 *
 * @param claims of the token that the browser has
 * @throws {StoreUnavailable} @throws {CallbackFailed}
 */
export async function proveStepUp(
  request: AuthRequest,
  claims: SessionClaims,
  { auth_time, amr }: Proof,
): Promise<Renewal> {
  const { cnf, exp } = claims
  const proof = cnf ? { auth_time, amr, cnf, exp } : { auth_time, amr }
  const loaded = await loadClaimed(request, claims)
  if (loaded === 'over' || loaded === 'nobody') return loaded
  if (loaded === 'unknown') {
    // The ledger has answered. A token that is still good lives no longer for its proof.
    const { sub, sid, session } = claims
    const record = { sub, sid, created: beganAt(claims), expires: claims.sexp }
    // It says what the old one says, which a refresh of the claims has made stale.
    const standing = await claimedStanding(request, claims)
    if (standing.isOver) return 'over'
    if (isStale(request, claims, standing)) return loaded
    const issued = nowInSeconds(request)
    const made = { ...claimsOf(request, record, session, proof, issued), exp: claims.exp }
    return made.iat < made.exp ? made : loaded
  }
  const by = await request.features.endedBy(request, loaded)
  if (by) return end(request, loaded, by)
  const token = await askJwt(request, loaded)
  if (token === null) return end(request, loaded)
  return rebuild(request, { ...loaded, token }, proof)
}

/**
 * The session of a token that asks for a later one. It ends if it has to be bound by now.
 *
 * @throws {StoreUnavailable} @throws {CallbackFailed}
 */
async function loadRenewable(
  request: AuthRequest,
  claims: SessionClaims,
  known?: ClaimedStanding,
  proof: Proof = claims,
): Promise<StandingSession | 'over' | 'nobody' | 'unknown'> {
  const loaded = await loadClaimed(request, claims, known)
  const { binding } = request.features.ports
  if (typeof loaded === 'string' || !binding || proof.cnf) return loaded
  return (await binding.endsUnbound(request, claims)) ? end(request, loaded, 'unbound') : loaded
}

/** The session of a token, if this token still continues it. @throws {StoreUnavailable} */
async function loadClaimed(
  request: AuthRequest,
  claims: SessionClaims,
  known?: ClaimedStanding,
): Promise<StandingSession | 'over' | 'nobody' | 'unknown'> {
  const standing = known ?? claimedStanding(request, claims)
  const loaded = await loadSession(request, claims, standing)
  return loaded !== 'over' && (await standing).isNobody ? 'nobody' : loaded
}

/**
 * A token of a session whose browser has just registered a key.
 *
 * @param claims of the session's latest token, as far as they are known
 * @param known what the ledger has just said of the session
 * @param keep keeps the key, once the callbacks have agreed. `false`: the session has ended, or has another key
 * @throws {StoreUnavailable} @throws {CallbackFailed}
 */
export async function bindSession(
  request: AuthRequest,
  claims: SessionClaims,
  known: ClaimedStanding,
  proof: Proof,
  keep: () => Promise<boolean>,
): Promise<Renewal> {
  const loaded = await loadSession(request, claims, known)
  if (typeof loaded === 'string') return loaded
  const by = await request.features.endedBy(request, loaded)
  if (by) return end(request, loaded, by)
  const token = await askJwt(request, loaded)
  if (token === null) return end(request, loaded)
  const standing = { ...loaded, token }
  const session = await sessionOf(request, standing)
  if (session === null) return end(request, standing)
  if (!(await keep())) return 'over'
  return claimsOf(request, standing.record, session, proof, standing.issued)
}

interface Update {
  readonly data: unknown
}

/** Writes the record and makes its token. */
async function keep(
  request: AuthRequest,
  standing: StandingSession,
  proof: Proof,
  update?: Update,
): Promise<Renewal> {
  const { record, vouched, way, device, kept } = standing
  const token = snapshotOf(standing.token)
  const session = await sessionOf(request, standing, update)
  if (session === null) return end(request, standing)
  const tokens = await request.features.ports.tokens.newest(request, standing)
  const values = { token, vouched, tokens, way, device, kept }
  const sealed = await sealValues(request, record.sid, values, record.expires)
  const next = { ...record, sealed }
  if (!(await mayReplace(request, record))) {
    throw new StoreUnavailable('The record is not the latest one: another request has written it.')
  }
  await request.stores.sessions.put(next)
  return (await hasEnded(request, next))
    ? 'over'
    : inTime(claimsOf(request, next, session, proof, standing.issued))
}

/** The token of a bound session may have ended while the callbacks were asked: there is no later one without a proof. */
function inTime(claims: SessionClaims): Renewal {
  return claims.iat < claims.exp ? claims : 'unknown'
}

/** A sign-out during a write wins: no fresh token is made, and no record is left. */
async function hasEnded(request: AuthRequest, record: SessionRecord): Promise<boolean> {
  const isOver = await isRevoked(request, nameOf(record))
  if (isOver) deleteRecord(request, record)
  return isOver
}

async function rebuild(
  request: AuthRequest,
  standing: StandingSession,
  proof: Proof,
  update?: Update,
): Promise<Renewal> {
  const session = await sessionOf(request, standing, update)
  if (session === null) return end(request, standing)
  const { jwt, session: callback } = request.config.callbacks
  const mayHaveWaited = jwt !== undefined || callback !== undefined
  if (mayHaveWaited && (await isRevoked(request, nameOf(standing.record)))) return 'over'
  return inTime(claimsOf(request, standing.record, session, proof, standing.issued))
}

async function askJwt(
  request: AuthRequest,
  standing: StandingSession,
  update?: Update,
): Promise<JWT | null> {
  return runJwt(request, {
    token: standing.token,
    ...(update ? { trigger: 'update' as const, session: update.data } : {}),
    getAccessToken: () => request.features.ports.tokens.accessToken(request, standing),
  })
}

async function sessionOf(
  request: AuthRequest,
  standing: StandingSession,
  update?: Update,
): Promise<Record<string, unknown> | null> {
  const { record, token, vouched } = standing
  return runSession(request, {
    session: defaultSession({ ...token, sub: record.sub }, record.expires, vouched),
    token,
    ...(update ? { trigger: 'update' as const, newSession: update.data } : {}),
    getAccessToken: () => request.features.ports.tokens.accessToken(request, standing),
  })
}

/** Ends a session as its app's callback wants it, or a feature. @throws {StoreUnavailable} it is not over then */
async function end(
  request: AuthRequest,
  { record }: StandingSession,
  by: LogEvent['by'] = 'callback',
): Promise<'over'> {
  const ended = { ...nameOf(record), sexp: record.expires, amr: [record.provider] }
  // The provider's tokens can be read only before the session ends.
  const revokeAtProvider = await request.features.ports.tokens.revocation(request, ended)
  await revokeSession(request, ended)
  request.waitUntil(revokeAtProvider())
  await logEvent(request, { event: 'sessions-ended', sub: ended.sub, which: 'one', by })
  return 'over'
}
