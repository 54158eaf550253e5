import type { SessionClaims } from '@latchkey/session'
import { isRecord } from '@latchkey/session/internal'
import { DamagedRecord } from '../errors.js'
import { type AuthRequest, nowInSeconds } from '../http/request.js'
import type { Standing } from '../stores/ledger/types.js'
import type { JWT } from '../types.js'
import { standingOf } from './revoke.js'
import type { ProviderTokens, SessionName, StandingSession, StoredValues } from './stored-values.js'

/**
 * The record of a token's session. The ledger is asked as well, since KV may still show the record
 * of a revoked session. KV may also show it as it was before an extension: a token that was signed since then proves the
 * later end.
 *
 * @param session by its token, or without one by its name alone
 * @param known what the ledger has just said of the session, or is about to
 * @returns `over` for good, or `unknown` when the record is not shown, which a late store may cause
 * too, or is damaged: then nobody is signed in, and nobody signed out
 * @throws {StoreUnavailable}
 */
export async function loadSession(
  request: AuthRequest,
  session: SessionName & Partial<Pick<SessionClaims, 'iat' | 'sexp'>>,
  known?: Standing | Promise<Standing>,
): Promise<StandingSession | 'over' | 'unknown'> {
  const { stores, keys } = request
  const { sub, sid, iat = 0, sexp = 0 } = session
  const [record, standing] = await Promise.all([
    stores.sessions.get(sub, sid).catch((error: unknown) => unlessDamaged(request, error)),
    known ?? standingOf(request, session),
  ])
  if (standing.isOver) return 'over'
  if (!record || record === 'unknown') return 'unknown'
  const isLate = iat > record.updated && sexp > record.expires
  // A limit that was shortened applies to existing sessions as well.
  const end = sessionEnd(request, isLate ? iat : record.updated, record.created)
  if (end <= nowInSeconds(request)) return 'over'
  // The record is sealed with a removed secret, whose sessions end, as the operator wants. The
  // cookie stays, since an isolate without a new secret yet sees the same.
  if (keys.record.isRetired(record.sealed)) return 'unknown'
  const opened = await keys.record.open(record.sealed)
  if (opened?.sid !== sid || !isRecord(opened.token)) {
    // Its seal ends when the session was to end.
    if (isLate && !opened) return 'unknown'
    return unlessDamaged(request, new DamagedRecord('A session record cannot be decrypted.'))
  }
  const { token, vouched, tokens, way, device, kept } = opened
  return {
    record: { ...record, expires: Math.min(isLate ? sexp : record.expires, end) },
    token,
    issued: issuedNow(request, session, standing),
    ...(typeof vouched === 'string' ? { vouched } : {}),
    ...(isRecord(tokens) ? { tokens: tokens as unknown as ProviderTokens } : {}),
    ...(typeof way === 'string' ? { way } : {}),
    ...(isRecord(device) ? { device } : {}),
    ...(isRecord(kept) ? { kept: kept as Readonly<Record<string, string>> } : {}),
  }
}

/**
 * The `iat` of a token for which the callbacks are asked from now on: later than every refresh of its claims that came before, within
 * the same second too. Seconds since the epoch.
 */
export function issuedNow(
  request: AuthRequest,
  session: Pick<SessionName, 'sid' | 'sub' | 'pid'>,
  { staleUntil = -1 }: Stale,
): number {
  const known = request.revocations.staleUntil(session) ?? -1
  return Math.max(nowInSeconds(request), staleUntil + 1, known + 1)
}

/** Was a token issued before its claims were refreshed? @param standing what the ledger has just said, if it was asked */
export function isStale(
  { revocations }: AuthRequest,
  claims: Pick<SessionClaims, 'sid' | 'sub' | 'pid' | 'iat'>,
  { staleUntil = -1 }: Stale = {},
): boolean {
  return claims.iat <= Math.max(staleUntil, revocations.staleUntil(claims) ?? -1)
}

/** Up to when tokens are stale, if the ledger has said so. */
interface Stale {
  readonly staleUntil?: number | undefined
}

/**
 * A damaged record is not a passing fault: 503 would last for as long as the browser has its
 * cookie.
 */
function unlessDamaged({ config }: AuthRequest, error: unknown): 'unknown' {
  if (!(error instanceof DamagedRecord)) throw error
  config.logger.error(error)
  return 'unknown'
}

/** A copy of the current value, since a callback that gets it later may change it. */
export function snapshotOf(token: JWT): JWT {
  return JSON.parse(JSON.stringify(token))
}

/** Encrypts a record's values, bound to its session, so that records cannot be swapped. */
export async function sealValues(
  { keys }: AuthRequest,
  sid: string,
  values: StoredValues,
  expires: number,
): Promise<string> {
  return keys.record.seal({ sid, ...values }, expires)
}

/** When a session ends that is extended now, in seconds since the epoch. */
export function sessionEnd({ config }: AuthRequest, now: number, created: number): number {
  const { maxAge, absoluteMaxAge } = config.session
  return Math.min(now + maxAge, created + absoluteMaxAge)
}
