import { isCutOff, type SessionClaims } from '@latchkey/session'
import { nowInSeconds, type RequestScope } from '../http/scope.js'
import { isRecord } from '../is-record.js'
import type { SessionRecord } from '../stores/ports.js'
import { type Device, nameOfDevice } from './device.js'
import { isRevoked, nameOf, revokeSession } from './revoke.js'

/** One of a user's own sessions, as they see it. */
export interface ListedSession {
  /** Names the session; it opens nothing. */
  readonly id: string
  /** Is it the one that asks? */
  readonly current: boolean
  /** Id of the provider that was used. */
  readonly provider: string
  /** Such as `Firefox on Windows`. */
  readonly device: string
  readonly place: string | null
  /** ISO 8601, as are the others. */
  readonly created: string
  /** To the day, or to `session.updateAge`. */
  readonly lastUsed: string
  readonly expires: string
}

/**
 * The live sessions of whoever asks, the current one first, then the latest. KV may be late with
 * one that began elsewhere within the last minute.
 *
 * @throws {StoreUnavailable}
 */
export async function listSessions(
  scope: RequestScope,
  { sub, sid }: SessionClaims,
): Promise<readonly ListedSession[]> {
  const records = await liveRecords(scope, sub)
  const listed = await Promise.all(records.map((record) => describe(scope, record, sid)))
  return listed.sort((one, other) =>
    one.current === other.current
      ? other.lastUsed.localeCompare(one.lastUsed)
      : Number(other.current) - Number(one.current),
  )
}

/** Which sessions to end: one by its id, all but the current one, or all. */
export type WhichSessions = 'others' | 'all' | { readonly id: string }

/**
 * Ends sessions of whoever asks. Those of others are never found: a session is looked up among the
 * user's own.
 *
 * @returns has the current session ended?
 * @throws {StoreUnavailable} when the ledger cannot be written: ask again
 */
export async function endSessions(
  scope: RequestScope,
  claims: SessionClaims,
  which: WhichSessions,
): Promise<boolean> {
  const { sub, sid } = claims
  if (typeof which === 'object') {
    if (which.id === sid) await revokeSession(scope, claims)
    else await endOne(scope, sub, which.id)
    return which.id === sid
  }
  const { stores, session, revocations } = scope.config
  const now = nowInSeconds(scope)
  const cutoff = { sub, until: now, ...(which === 'others' ? { except: sid } : {}) }
  // The cutoff also ends what KV does not list yet. No session can be extended beyond that time.
  await stores.ledger.cutOff(cutoff, now + 2 * session.maxAge)
  revocations.cutOff(cutoff)
  const ended = (await liveOrNone(scope, sub)).filter((record) => isCutOff(nameOf(record), cutoff))
  for (const { sid: id } of ended)
    scope.waitUntil(
      stores.sessions.delete(sub, id).catch((error: Error) => scope.config.logger.error(error)),
    )
  return which === 'all'
}

async function endOne(scope: RequestScope, sub: string, id: string): Promise<void> {
  const record = await scope.config.stores.sessions.get(sub, id)
  if (record) await revokeSession(scope, { sub, sid: id, sexp: record.expires })
}

async function liveRecords(scope: RequestScope, sub: string): Promise<SessionRecord[]> {
  const records = await scope.config.stores.sessions.list(sub)
  const over = await Promise.all(records.map((record) => isRevoked(scope, nameOf(record))))
  return records.filter((_, index) => !over[index])
}

/** Only to tidy up: what the ledger has ended is over, whether its record can be seen or not. */
async function liveOrNone(scope: RequestScope, sub: string): Promise<readonly SessionRecord[]> {
  return scope.config.stores.sessions.list(sub).catch(() => [])
}

async function describe(
  { config }: RequestScope,
  record: SessionRecord,
  current: string,
): Promise<ListedSession> {
  const opened = await config.keys.record.open(record.sealed)
  const device: Device = isRecord(opened?.device) ? opened.device : {}
  const iso = (seconds: number) => new Date(seconds * 1000).toISOString()
  return {
    id: record.sid,
    current: record.sid === current,
    provider: record.provider,
    device: nameOfDevice(device),
    place: device.place ?? null,
    created: iso(record.created),
    lastUsed: iso(record.updated),
    expires: iso(record.expires),
  }
}
