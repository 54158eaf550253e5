import type { SessionClaims } from '@latchkey/session'
import { beganAt, isCutOff, type UserCutoff } from '@latchkey/session/issue'
import { DEVICE_MAX_AGE } from '../http/ended-since.js'
import { logEvent } from '../http/log-event.js'
import { type AuthRequest, nowInSeconds } from '../http/request.js'
import type { ListedPart, SessionRecord } from '../stores/ports.js'
import { endedOrNobodys, goesOn } from './read.js'
import { ownerOf, revokeSession } from './revoke.js'

/** The session that asks, by its token. */
type Own = Parameters<typeof goesOn>[1]

/** Which sessions to end: one by its id, all but the current one, or all. */
export type WhichSessions = 'others' | 'all' | { readonly id: string }

/** May a text be the id of a session? */
export function isSid(text: string): boolean {
  return /^[A-Za-z0-9_-]{22,64}$/.test(text)
}

/**
 * The effect of a request to end sessions. `others`: it has ended others; `own`: its own as well;
 * `already`: its own was over, ended as it asks; `nothing`: its own was over in another way; `nobody`: the token no longer
 * continues its session, which goes on.
 */
type RevocationOutcome = 'others' | 'own' | 'already' | 'nothing' | 'nobody'

/**
 * Ends sessions of the person who asks, never another person's: a session is looked up among the
 * user's own.
 *
 * @throws {StoreUnavailable} when the ledger cannot be written, in parts or at all: the caller may try
 *   again
 */
export async function endSessions(
  request: AuthRequest,
  own: Own,
  which: WhichSessions,
): Promise<RevocationOutcome> {
  const { claims } = own
  const second = nowInSeconds(request)
  try {
    const standing = endedOrNobodys(request, claims)
    if ((await standing).isOver) return await retryRevocation(request, claims, which)
    if (!(await goesOn(request, own, standing))) {
      // What has ended it a moment ago is known here.
      const isOver = request.revocations.has(claims)
      return isOver ? await retryRevocation(request, claims, which) : 'nobody'
    }
    return await endNow(request, claims, which, second)
  } finally {
    // Also if it failed: some of several objects, or an answer that was lost, may have ended them.
    if (typeof which === 'string') await endOf(request, second)
  }
}

async function endNow(
  request: AuthRequest,
  claims: SessionClaims,
  which: WhichSessions,
  until: number,
): Promise<RevocationOutcome> {
  const { sub, sid } = claims
  const ended = await toBeEnded(request, claims, which)
  const except = which === 'others' ? { except: sid } : {}
  const cutoff = typeof which === 'string' ? { sub, until, ...except } : undefined
  if (!(await end(request, ended, cutoff, beganAt(claims))))
    return retryRevocation(request, claims, which)
  if (cutoff || ended.length > 0) await logRevocation(request, sub, which)
  return which === 'all' || ended.some((one) => one.sid === sid) ? 'own' : 'others'
}

/**
 * The time up to which an end of all sessions is known, in seconds since the epoch: no session can
 * be extended beyond it, no session of another library moves in, and no older device is known.
 */
export function storedUntil({ config, features }: AuthRequest, until: number): number {
  const lastBrought = Math.ceil((features.ports.absentSession?.until ?? 0) / 1000)
  return Math.max(until + 2 * config.session.maxAge, until + DEVICE_MAX_AGE, lastBrought)
}

/**
 * Ends sessions of one person that KV lists, and with a cut-off those that it does not list as well.
 *
 * @param began when the session began that a cut-off spares, in seconds
 * @returns `false`: nothing was done, since that session is over itself
 */
export async function end(
  request: AuthRequest,
  ended: readonly Ended[],
  cutoff: UserCutoff | undefined,
  began?: number,
): Promise<boolean> {
  const { stores, revocations } = request
  // The provider's tokens can be read only before the sessions end.
  const revokeAtProviders = await Promise.all(
    ended.map((one) => request.features.ports.tokens.revocation(request, one)),
  )
  const [first] = ended
  const sub = cutoff?.sub ?? first?.sub
  if (sub === undefined) return true
  // With one question for all of them.
  const which = cutoff ? { except: cutoff.except } : { sids: ended.map(({ sid }) => sid) }
  const tell = await request.features.ending(request, { sub, ...which })
  if (cutoff) {
    const expires = storedUntil(request, cutoff.until)
    if (!(await stores.ledger.cutOff(cutoff, expires, began))) return false
    revocations.cutOff(cutoff)
  }
  // Listed sessions are ended one by one too, so that their tokens are deleted, and a session that
  // began by a clock that is ahead ends.
  await Promise.all(ended.map((one) => revokeSession(request, one)))
  for (const revokeAtProvider of revokeAtProviders) request.waitUntil(revokeAtProvider())
  await tell()
  if (cutoff) await endOutliving(request, cutoff)
  return true
}

/** Ends what features keep that outlives sessions. @throws {StoreUnavailable} the caller may try again */
async function endOutliving(request: AuthRequest, cutoff: UserCutoff): Promise<void> {
  for (const ended of request.features.hooks('person', 'endedAll')) await ended(request, cutoff)
}

/**
 * For a session that is over: it ends nothing more. But its revocation may have failed halfway, in
 * some of several objects, and a second attempt wants the rest: so it is finished.
 */
async function retryRevocation(
  request: AuthRequest,
  claims: SessionClaims,
  which: WhichSessions,
): Promise<RevocationOutcome> {
  const { ledger } = request.stores
  if (typeof which === 'object') {
    if (which.id !== claims.sid) return 'nothing'
    await revokeSession(request, claims)
    await logRevocation(request, claims.sub, which)
    return 'already'
  }
  const cutoff = await ledger.repeatCutOff(claims.sub)
  if (cutoff) request.revocations.cutOff(cutoff)
  if (which === 'others') return 'nothing'
  // A ledger in one place may lack that method, and says it of a session that no cut-off spares.
  const isAll = cutoff ? isCutOff(claims, cutoff) : await ledger.isRevoked('', ownerOf(claims))
  if (!isAll) return 'nothing'
  if (cutoff) await endOutliving(request, cutoff)
  await logRevocation(request, claims.sub, which)
  return 'already'
}

export function logRevocation(
  request: AuthRequest,
  sub: string,
  which: WhichSessions,
  by: 'person' | 'operator' = 'person',
): Promise<void> {
  const sessions = typeof which === 'string' ? which : 'one'
  return logEvent(request, { event: 'sessions-ended', sub, which: sessions, by })
}

/** The sessions to end, as far as KV shows them; the current one is always included. */
async function toBeEnded(
  request: AuthRequest,
  claims: SessionClaims,
  which: WhichSessions,
): Promise<readonly Ended[]> {
  const { sub, sid } = claims
  const isOwn = typeof which === 'object' && which.id === sid
  const others =
    typeof which === 'object'
      ? [isOwn ? undefined : await request.stores.sessions.get(sub, which.id)]
      : await listed(request, sub)
  const records = others.flatMap((record) => (record && record.sid !== sid ? endedOf(record) : []))
  return isOwn || which === 'all' ? [claims, ...records] : records
}

/** Only for a clean-up: the ledger ends the sessions even if their records are not shown. */
export async function listed(
  { config, stores }: AuthRequest,
  sub: string,
  part?: ListedPart,
): Promise<readonly SessionRecord[]> {
  return stores.sessions.list(sub, part).catch((error: Error) => {
    config.logger.error(error)
    return []
  })
}

/** The members of a session that are needed to end it. */
export type Ended = Pick<SessionClaims, 'sub' | 'sid' | 'auth_time' | 'began' | 'sexp' | 'amr'>

export function endedOf({ sub, sid, created, expires, provider }: SessionRecord): Ended {
  return { sub, sid, auth_time: created, sexp: expires, amr: [provider] }
}

/**
 * Sessions count in whole seconds: one that begins after our answer must begin in a later second.
 */
export async function endOf({ config }: AuthRequest, second: number): Promise<void> {
  const rest = (second + 1) * 1000 - config.now()
  // On a failing path the second may be over already.
  if (rest <= 0) return
  await new Promise((resolve) => setTimeout(resolve, Math.min(rest, 1000)))
}
