import { isRecord } from '@latchkey/session/internal'
import { DamagedRecord } from '../errors.js'
import { type AuthRequest, nowInSeconds } from '../http/request.js'
import type { SessionRecord } from '../stores/ports.js'
import type { JWT, TokenSet } from '../types.js'
import type { Device } from './device.js'
import { isRevoked, type SessionName } from './revoke.js'

/** The encrypted part of a record. */
export interface StoredValues {
  /** The value that the `jwt` callback returned. */
  readonly token: JWT
  /** The address that the provider vouches for; left out if it vouches for none. */
  readonly vouched?: string | undefined
  /** The provider's tokens as they were when the record was written. */
  readonly tokens?: ProviderTokens | undefined
  /** The name of the way of the sign-in, if it is not the one that `sub` itself follows from. */
  readonly way?: string | undefined
  /** The device of the sign-in. */
  readonly device?: Device | undefined
}

/** A session that goes on, with its stored values. */
export interface StandingSession extends StoredValues {
  readonly record: SessionRecord
  /** The newest tokens that this request has seen, since they may be refreshed meanwhile. */
  tokens?: ProviderTokens | undefined
}

/** A provider's tokens in a session record. `version` counts how often they were refreshed. */
export interface ProviderTokens
  extends Pick<
    TokenSet,
    'access_token' | 'refresh_token' | 'token_type' | 'scope' | 'expires_in' | 'expires_at'
  > {
  readonly version: number
  /** The provider will not refresh them any more: the person has to sign in again. */
  readonly ended?: true
  /**
   * They are not the session's own tokens: those of the person's connection with the provider
   * count.
   */
  readonly connected?: true
}

/**
 * The record of a token's session. The ledger is asked as well, since KV may still show the record
 * of a revoked session.
 *
 * @returns `over` for good, or `unknown` when the record is not shown, which a late store may cause
 * too, or is damaged: then nobody is signed in, and nobody signed out
 * @throws {StoreUnavailable}
 */
export async function loadSession(
  request: AuthRequest,
  session: SessionName,
): Promise<StandingSession | 'over' | 'unknown'> {
  const { stores, keys } = request
  const { sub, sid } = session
  const [record, revoked] = await Promise.all([
    stores.sessions.get(sub, sid).catch((error: unknown) => unlessDamaged(request, error)),
    isRevoked(request, session),
  ])
  if (revoked) return 'over'
  if (!record || record === 'unknown') return 'unknown'
  // A limit that was shortened applies to existing sessions as well.
  const end = sessionEnd(request, record.updated, record.created)
  if (end <= nowInSeconds(request)) return 'over'
  // The record is sealed with a removed secret, whose sessions end, as the operator wants. The
  // cookie stays, since an isolate without a new secret yet sees the same.
  if (keys.record.isRetired(record.sealed)) return 'unknown'
  const opened = await keys.record.open(record.sealed)
  if (opened?.sid !== sid || !isRecord(opened.token)) {
    return unlessDamaged(request, new DamagedRecord('A session record cannot be decrypted.'))
  }
  const { token, vouched, tokens, way, device } = opened
  return {
    record: { ...record, expires: Math.min(record.expires, end) },
    token,
    ...(typeof vouched === 'string' ? { vouched } : {}),
    ...(isRecord(tokens) ? { tokens: tokens as unknown as ProviderTokens } : {}),
    ...(typeof way === 'string' ? { way } : {}),
    ...(isRecord(device) ? { device } : {}),
  }
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
