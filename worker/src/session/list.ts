import type { SessionClaims } from '@latchkey/session'
import { isRecord } from '@latchkey/session/internal'
import { type AuthRequest, nowInSeconds } from '../http/request.js'
import { providerRevocation } from '../provider-tokens/revocation.js'
import type { SessionRecord } from '../stores/ports.js'
import { type Device, deviceOf, nameOfDevice } from './device.js'
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
 * another one that began within the last minute.
 *
 * @throws {StoreUnavailable}
 */
export async function listSessions(
  request: AuthRequest,
  claims: SessionClaims,
): Promise<readonly ListedSession[]> {
  const { sub, sid, amr, auth_time: created, sexp: expires } = claims
  const records = await liveRecords(request, sub)
  const listed = await Promise.all(records.map((record) => describe(record, request)))
  const others = listed
    .filter(({ id }) => id !== sid)
    .sort((one, other) => other.lastUsed.localeCompare(one.lastUsed))
  // The request itself shows that it is there, whatever KV says.
  const own = { sid, provider: amr[0] ?? '', created, updated: nowInSeconds(request), expires }
  const current = listed.find(({ id }) => id === sid) ?? entry(own, deviceOf(request.original))
  return [{ ...current, current: true }, ...others]
}

/** Which sessions to end: one by its id, all but the current one, or all. */
export type WhichSessions = 'others' | 'all' | { readonly id: string }

/**
 * Ends sessions of the person who asks, never another person's: a session is looked up among the
 * user's own.
 *
 * @returns is the current session over?
 * @throws {StoreUnavailable} when the ledger cannot be written: ask again
 */
export async function endSessions(
  request: AuthRequest,
  claims: SessionClaims,
  which: WhichSessions,
): Promise<boolean> {
  const { sub, sid, auth_time } = claims
  const { config, stores, revocations } = request
  const ended = await toBeEnded(request, claims, which)
  // Their tokens can be found only until then.
  const revokeAtProviders = await Promise.all(
    ended.map((one) => providerRevocation(request, one as SessionClaims)),
  )
  const until = nowInSeconds(request)
  if (typeof which === 'string') {
    // Ends what KV does not list as well. No session can be extended beyond that time.
    const cutoff = { sub, until, ...(which === 'others' ? { except: sid } : {}) }
    const expires = until + 2 * config.session.maxAge
    if (!(await stores.ledger.cutOff(cutoff, expires, auth_time))) return true
    revocations.cutOff(cutoff)
  }
  // One by one too: their tokens go, and a clock that is ahead saves none of them.
  await Promise.all(ended.map((one) => revokeSession(request, one)))
  for (const revokeAtProvider of revokeAtProviders) request.waitUntil(revokeAtProvider())
  if (typeof which === 'string') await endOf(request, until)
  return which === 'all' || ended.some((one) => one.sid === sid)
}

/** The sessions that are meant, as far as KV shows them; the current one is always to be seen. */
async function toBeEnded(
  request: AuthRequest,
  claims: SessionClaims,
  which: WhichSessions,
): Promise<readonly Ending[]> {
  const { sub, sid } = claims
  const { config, stores } = request
  const { sessions } = stores
  const isOwn = typeof which === 'object' && which.id === sid
  const others =
    typeof which === 'object'
      ? [isOwn ? undefined : await sessions.get(sub, which.id)]
      : // Only to tidy up: the ledger ends them, whether their records can be seen or not.
        await sessions.list(sub).catch((error: Error) => {
          config.logger.error(error)
          return []
        })
  const found = others.flatMap((record) => (record && record.sid !== sid ? endingOf(record) : []))
  return isOwn || which === 'all' ? [claims, ...found] : found
}

/** What has to be known of a session to end it. */
type Ending = Pick<SessionClaims, 'sub' | 'sid' | 'auth_time' | 'sexp' | 'amr'>

function endingOf({ sub, sid, created, expires, provider }: SessionRecord): Ending {
  return { sub, sid, auth_time: created, sexp: expires, amr: [provider] }
}

/** Times of sessions are seconds: what begins after our answer must begin in a later one. */
async function endOf({ config }: AuthRequest, second: number): Promise<void> {
  const rest = (second + 1) * 1000 - config.now()
  await new Promise((resolve) => setTimeout(resolve, Math.min(rest, 1000)))
}

async function liveRecords(request: AuthRequest, sub: string): Promise<SessionRecord[]> {
  const { stores, keys } = request
  const all = await stores.sessions.list(sub)
  // A session whose record is sealed with a retired secret is over, as in a renewal.
  const records = all.filter(({ sealed }) => !keys.record.isRetired(sealed))
  const over = await Promise.all(records.map((record) => isRevoked(request, nameOf(record))))
  return records.filter((_, index) => !over[index])
}

async function describe(record: SessionRecord, { keys }: AuthRequest): Promise<ListedSession> {
  const opened = await keys.record.open(record.sealed)
  return entry(record, isRecord(opened?.device) ? opened.device : {})
}

function entry(
  {
    sid,
    provider,
    created,
    updated,
    expires,
  }: Pick<SessionRecord, 'sid' | 'provider' | 'created' | 'updated' | 'expires'>,
  device: Device,
): ListedSession {
  const iso = (seconds: number) => new Date(seconds * 1000).toISOString()
  return {
    id: sid,
    current: false,
    provider,
    device: nameOfDevice(device),
    place: device.place ?? null,
    created: iso(created),
    lastUsed: iso(updated),
    expires: iso(expires),
  }
}
