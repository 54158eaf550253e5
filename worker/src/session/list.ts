import type { SessionClaims } from '@latchkey/session'
import { beganAt, isCutOff, isRecord } from '@latchkey/session/internal'
import type { UserCutoff } from '@latchkey/session/issue'
import { DamagedRecord } from '../errors.js'
import { DEVICE_MAX_AGE } from '../http/device-cookie.js'
import { logEvent } from '../http/log-event.js'
import { type AuthRequest, nowInSeconds } from '../http/request.js'
import type { Words } from '../languages/texts.js'
import { erasedName } from '../lib/erased-name.js'
import { type ListedPart, MAX_LISTED, type SessionRecord } from '../stores/ports.js'
import type { ExportedSession, WhoseSessions } from '../types/auth-handler.js'
import type { JWT } from '../types.js'
import { type Device, type DeviceKind, deviceOf, kindOfDevice, nameOfDevice } from './device.js'
import { isRevoked, nameOf, ownerOf, revokeSession } from './revoke.js'

/** One of a user's own sessions, as the user sees it. */
export interface ListedSession extends Omit<ExportedSession, 'user'> {
  /** Is it the one that asks? */
  readonly current: boolean
}

/** The same for the page of the account. */
interface ShownSession extends ListedSession {
  readonly kind: DeviceKind
}

/**
 * The caller's sessions as `GET /sessions` answers them.
 * @throws {StoreUnavailable}
 */
export async function listSessions(
  request: AuthRequest,
  claims: SessionClaims,
): Promise<readonly ListedSession[]> {
  const shown = await shownSessions(request, claims, request.config.english.words)
  return shown.map(({ kind: _, ...session }) => session)
}

/**
 * The live sessions of the signed-in user, the current one first, then the latest. KV may be late
 * with another one that began within the last minute.
 *
 * @param words in which the devices are named
 * @throws {StoreUnavailable}
 */
export async function shownSessions(
  request: AuthRequest,
  claims: SessionClaims,
  words: Words,
): Promise<readonly ShownSession[]> {
  const { sub, sid, amr, sexp: expires } = claims
  const records = await liveRecords(request, sub)
  const listed = await Promise.all(records.map((record) => describe(record, request, words)))
  const others = listed
    .filter(({ id }) => id !== sid)
    .sort((one, other) => other.lastUsed.localeCompare(one.lastUsed))
  // The request itself proves that the session exists, whatever KV shows.
  const began = { sid, provider: amr[0] ?? '', created: beganAt(claims) }
  const own = { ...began, updated: nowInSeconds(request), expires }
  const current =
    listed.find(({ id }) => id === sid) ?? entry(own, deviceOf(request.original), words)
  return [{ ...current, current: true }, ...others]
}

/** Which sessions to end: one by its id, all but the current one, or all. */
export type WhichSessions = 'others' | 'all' | { readonly id: string }

/**
 * What a request to end sessions has done: ended `others`, its `own` as well; found its own ended
 * `already` in the way that it asks for; or `nothing`, since its own is over in another way.
 */
type RevocationOutcome = 'others' | 'own' | 'already' | 'nothing'

/**
 * Ends sessions of the person who asks, never another person's: a session is looked up among the
 * user's own.
 *
 * @throws {StoreUnavailable} when the ledger cannot be written, in parts or at all: the caller may try
 *   again
 */
export async function endSessions(
  request: AuthRequest,
  claims: SessionClaims,
  which: WhichSessions,
): Promise<RevocationOutcome> {
  const second = nowInSeconds(request)
  try {
    if (await isRevoked(request, claims)) return await retryRevocation(request, claims, which)
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
 * Ends sessions of a person for the operator: all of them, or all but one.
 *
 * @throws {StoreUnavailable} when the ledger cannot be written, in parts or at all: called again, it
 *   finishes
 */
export async function endSessionsOf(
  request: AuthRequest,
  { sub, except }: WhoseSessions,
): Promise<void> {
  const until = nowInSeconds(request)
  try {
    const ended = (await listed(request, sub)).map(endedOf)
    const began = except === undefined ? undefined : await beginningOf(request, sub, except)
    if (except !== undefined && began !== undefined) {
      const others = ended.filter(({ sid }) => sid !== except)
      if (await end(request, others, { sub, until, except }, began)) {
        return await logRevocation(request, sub, 'others', 'operator')
      }
    }
    await end(request, ended, { sub, until })
    await logRevocation(request, sub, 'all', 'operator')
  } finally {
    await endOf(request, until)
  }
}

/**
 * Ends all sessions of a person who is erased, with one call, and keeps of that nothing that names them.
 *
 * @throws {StoreUnavailable} called again, it finishes
 */
export async function endErased(
  request: AuthRequest,
  sub: string,
  by: 'person' | 'operator',
): Promise<void> {
  const { stores, revocations } = request
  const until = nowInSeconds(request)
  try {
    const pids = await request.keys.pseudonyms.all(sub)
    await stores.ledger.erase?.({ sub, until }, pids, storedUntil(request, until))
    for (const pid of pids) revocations.cutOff({ sub: erasedName(pid), until })
    await logRevocation(request, sub, 'all', by)
  } finally {
    await endOf(request, until)
  }
}

/**
 * How many records are read, ended and deleted together: if a request has 50 calls, it deletes
 * some.
 */
const ERASED_TOGETHER = 10

/**
 * Deletes the records of a person whose sessions are over, with a call or more for each. Listed
 * sessions are ended one by one too, so that their tokens are deleted, and a session that began by
 * a clock that is ahead ends.
 *
 * @throws {StoreUnavailable} called again, it continues; the rest lapses
 */
export async function eraseRecords(request: AuthRequest, sub: string): Promise<void> {
  const { stores } = request
  const erased = new Set<string>()
  while (erased.size < MAX_LISTED) {
    const records = await listed(request, sub, { most: ERASED_TOGETHER, except: erased })
    const part = records.filter(({ sid }) => !erased.has(sid)).map(endedOf)
    for (const { sid } of part) erased.add(sid)
    await eraseSome(request, part, part.length < ERASED_TOGETHER)
    if (part.length < ERASED_TOGETHER) break
  }
  await stores.sessions.deleteAll?.(sub)
}

/** @param isRest are these records deleted with all that are left? */
async function eraseSome(request: AuthRequest, ended: readonly Ended[], isRest: boolean) {
  const { config, stores, revocations } = request
  const atProviders = await Promise.all(
    ended.map((one) => request.features.tokens.revocation(request, one)),
  )
  for (const { sub, sid, sexp } of ended) {
    await stores.ledger.revoke(sid, sexp + config.session.maxAge)
    revocations.add(sid)
    if (!isRest) await stores.sessions.delete(sub, sid)
  }
  for (const revokeAtProvider of atProviders) request.waitUntil(revokeAtProvider())
}

/**
 * The live sessions of a person, for an export of their data.
 * @throws {StoreUnavailable}
 */
export async function exportSessions(
  request: AuthRequest,
  sub: string,
): Promise<readonly ExportedSession[]> {
  const records = await liveRecords(request, sub)
  return Promise.all(
    records.map(async (record) => {
      const opened = await request.keys.record.open(record.sealed)
      const {
        current: _,
        kind: __,
        ...listed
      } = entry(record, deviceIn(opened), request.config.english.words)
      const token = isRecord(opened?.token) ? (opened.token as JWT) : undefined
      if (!token) return listed
      const { name = null, email = null, picture = null } = token
      return { ...listed, user: { name, email, image: picture } }
    }),
  )
}

/**
 * Ends all sessions of somebody who is another person from now on. Their providers' tokens go on, since that person
 * has them.
 *
 * @throws {StoreUnavailable} called again, it finishes
 */
export async function endSessionsOfMerged(request: AuthRequest, sub: string): Promise<void> {
  const { stores, revocations } = request
  const until = nowInSeconds(request)
  const cutoff = { sub, until }
  await stores.ledger.cutOff(cutoff, storedUntil(request, until))
  revocations.cutOff(cutoff)
  const ended = (await listed(request, sub)).map(endedOf)
  await Promise.all(ended.map((one) => revokeSession(request, one)))
  await endOf(request, until)
}

/**
 * The time up to which an end of all sessions is known, in seconds since the epoch: no session can
 * be extended beyond it, no session of another library moves in, and no older device is known.
 */
function storedUntil({ config, features }: AuthRequest, until: number): number {
  const lastBrought = Math.ceil((features.absentSession?.until ?? 0) / 1000)
  return Math.max(until + 2 * config.session.maxAge, until + DEVICE_MAX_AGE, lastBrought)
}

/**
 * When a session began that is to go on, in seconds; `undefined` if it is over. Without its record
 * nobody knows whether it began before all sessions ended the last time: then it is over as well,
 * since an ended session must not come back.
 */
async function beginningOf(
  { stores }: AuthRequest,
  sub: string,
  sid: string,
): Promise<number | undefined> {
  const record = await stores.sessions.get(sub, sid).catch((error: Error) => error)
  const auth_time = record instanceof Error ? 0 : (record?.created ?? 0)
  if (!(await stores.ledger.isRevoked(sid, { sub, auth_time }))) return auth_time
  // While KV fails that is not certain, and who asks may ask again.
  if (record instanceof Error && !(record instanceof DamagedRecord)) throw record
  return undefined
}

/**
 * Ends sessions that KV lists, and with a cut-off those that it does not list as well.
 *
 * @param began when the session began that a cut-off spares, in seconds
 * @returns `false`: nothing was done, since that session is over itself
 */
async function end(
  request: AuthRequest,
  ended: readonly Ended[],
  cutoff: UserCutoff | undefined,
  began?: number,
): Promise<boolean> {
  const { stores, revocations } = request
  // The provider's tokens can be read only before the sessions end.
  const revokeAtProviders = await Promise.all(
    ended.map((one) => request.features.tokens.revocation(request, one)),
  )
  if (cutoff) {
    const expires = storedUntil(request, cutoff.until)
    if (!(await stores.ledger.cutOff(cutoff, expires, began))) return false
    revocations.cutOff(cutoff)
  }
  // Listed sessions are ended one by one too, so that their tokens are deleted, and a session that
  // began by a clock that is ahead ends.
  await Promise.all(ended.map((one) => revokeSession(request, one)))
  for (const revokeAtProvider of revokeAtProviders) request.waitUntil(revokeAtProvider())
  return true
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
  const cutoff = await ledger.repeatCutOff?.(claims.sub)
  if (cutoff) request.revocations.cutOff(cutoff)
  if (which === 'others') return 'nothing'
  // A ledger in one place may lack that method, and says it of a session that nobody spares.
  const isAll = cutoff ? isCutOff(claims, cutoff) : await ledger.isRevoked('', ownerOf(claims))
  if (!isAll) return 'nothing'
  await logRevocation(request, claims.sub, which)
  return 'already'
}

function logRevocation(
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
async function listed(
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
type Ended = Pick<SessionClaims, 'sub' | 'sid' | 'auth_time' | 'began' | 'sexp' | 'amr'>

function endedOf({ sub, sid, created, expires, provider }: SessionRecord): Ended {
  return { sub, sid, auth_time: created, sexp: expires, amr: [provider] }
}

/**
 * Sessions count in whole seconds: one that begins after our answer must begin in a later second.
 */
async function endOf({ config }: AuthRequest, second: number): Promise<void> {
  const rest = (second + 1) * 1000 - config.now()
  // On a failing path the second may be over already.
  if (rest <= 0) return
  await new Promise((resolve) => setTimeout(resolve, Math.min(rest, 1000)))
}

/** The records of a person's sessions that are not over. @throws {StoreUnavailable} */
export async function liveRecords(request: AuthRequest, sub: string): Promise<SessionRecord[]> {
  const { stores, keys } = request
  const all = await stores.sessions.list(sub)
  // A session whose record is sealed with a retired secret is over, as in a renewal.
  const records = all.filter(({ sealed }) => !keys.record.isRetired(sealed))
  // An end that an erasure has left is kept under the names in tokens alone: one for each secret.
  const pids = await keys.pseudonyms.all(sub)
  const over = await Promise.all(
    records.map(async (record) => {
      for (const pid of pids) if (await isRevoked(request, { ...nameOf(record), pid })) return true
      return false
    }),
  )
  return records.filter((_, index) => !over[index])
}

async function describe(
  record: SessionRecord,
  { keys }: AuthRequest,
  words: Words,
): Promise<ShownSession> {
  return entry(record, deviceIn(await keys.record.open(record.sealed)), words)
}

function deviceIn(opened: Record<string, unknown> | undefined): Device {
  return isRecord(opened?.device) ? opened.device : {}
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
  words: Words,
): ShownSession {
  const iso = (seconds: number) => new Date(seconds * 1000).toISOString()
  return {
    id: sid,
    current: false,
    provider,
    device: nameOfDevice(device, words),
    kind: kindOfDevice(device),
    place: device.place ?? null,
    created: iso(created),
    lastUsed: iso(updated),
    expires: iso(expires),
  }
}
