import type { SessionClaims } from '@latchkey/session'
import { beganAt } from '@latchkey/session/issue'
import type { AuthRequest } from '../http/request.js'
import type { ClaimedStanding } from '../service/session-hooks.js'
import type { SessionOwner, Standing } from '../stores/ledger/types.js'
import type { SessionRecord } from '../stores/ports.js'
import type { SessionName } from './stored-values.js'

/**
 * Ends a session for good: first in the ledger, which decides, then its record.
 *
 * @param sexp the session's own end, in seconds
 * @throws {StoreUnavailable} when the ledger cannot be written: the session is not over then
 */
export async function revokeSession(
  request: AuthRequest,
  {
    sub,
    sid,
    sexp,
    amr,
    cnf,
  }: Pick<SessionClaims, 'sub' | 'sid' | 'sexp' | 'cnf'> & Partial<Pick<SessionClaims, 'amr'>>,
): Promise<void> {
  const { config, stores, revocations } = request
  const tell = await request.features.ending(request, { sub, sids: [sid] })
  // A request that is under way may extend the session, so the row lasts longer than `sexp`.
  await stores.ledger.revoke(sid, sexp + config.session.maxAge)
  revocations.add(sid)
  const ended = request.features.ended(request, {
    ...{ sub, sid, provider: amr?.[0] },
    ...(cnf ? { cnf } : {}),
  })
  if (ended) {
    const deleted = ended.then(
      () => deleteRecord(request, { sub, sid }),
      (error: Error) => config.logger.error(error),
    )
    request.waitUntil(deleted)
  } else deleteRecord(request, { sub, sid })
  await tell()
}

/** Deletes the record of an ended session, after the answer, since the ledger decides. */
export function deleteRecord(
  { config, stores, waitUntil }: AuthRequest,
  { sub, sid }: { readonly sub: string; readonly sid: string },
): void {
  waitUntil(stores.sessions.delete(sub, sid).catch((error: Error) => config.logger.error(error)))
}

/**
 * Asks the ledger. An end is remembered in this isolate for plain reads. @throws {StoreUnavailable}
 */
export async function isRevoked(
  { revocations, stores }: AuthRequest,
  session: SessionName,
): Promise<boolean> {
  if (revocations.has(session)) return true
  const isOver = await stores.ledger.isRevoked(session.sid, ownerOf(session))
  if (isOver) revocations.add(session.sid)
  return isOver
}

/**
 * What the ledger says of a session, with the same call: is it over, and up to when are its tokens stale? @throws {StoreUnavailable}
 */
export async function standingOf(
  { revocations, stores }: AuthRequest,
  session: SessionName,
): Promise<Standing> {
  if (revocations.has(session)) return { isOver: true }
  const standing = await stores.ledger.standing(session.sid, ownerOf(session))
  if (standing.isOver) revocations.add(session.sid)
  return standing
}

/**
 * The same for the session of a token. A token without the key of a bound session may sign nobody in any more.
 *
 * @throws {StoreUnavailable}
 */
export async function claimedStanding(
  request: AuthRequest,
  claims: SessionClaims,
): Promise<ClaimedStanding> {
  const { binding } = request.features.ports
  if (!binding || claims.cnf) return standingOf(request, claims)
  if (request.revocations.has(claims)) return { isOver: true }
  const standing = await binding.standing(request, claims)
  if (standing.isOver) request.revocations.add(claims.sid)
  return standing
}

/**
 * The owner of a session, for the ledger. There `auth_time` means the beginning of the session, so
 * that a later proof brings no session back.
 */
export function ownerOf(session: SessionName): SessionOwner {
  return session.began === undefined ? session : { ...session, auth_time: beganAt(session) }
}

/** The name of the session that a record is of. */
export function nameOf({ sub, sid, created }: SessionRecord): SessionName {
  return { sub, sid, auth_time: created }
}
