import type { SessionClaims } from '@latchkey/session'
import { isRecord } from '@latchkey/session/internal'
import { beganAt } from '@latchkey/session/issue'
import { type AuthRequest, nowInSeconds } from '../http/request.js'
import type { Words } from '../languages/texts.js'
import { companyOf } from '../lib/company-id.js'
import type { SessionRecord } from '../stores/ports.js'
import type { OperatorSession } from '../types/auth-handler.js'
import type { ExportedSession } from '../types/exported-person.js'
import type { JWT } from '../types.js'
import { type Device, type DeviceKind, deviceOf, kindOfDevice, nameOfDevice } from './device.js'
import { isRevoked, nameOf } from './revoke.js'

/** One of a user's own sessions, as the user sees it. */
export interface ListedSession extends OperatorSession {
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
  const { sub, sid, amr, sexp: expires, cnf } = claims
  const listed = await describedOf(request, sub, words)
  const others = listed.filter(({ id }) => id !== sid)
  // The request itself proves that the session exists, whatever KV shows.
  const began = { sid, provider: amr[0] ?? '', created: beganAt(claims) }
  const own = { ...began, updated: nowInSeconds(request), expires }
  const known = listed.find(({ id }) => id === sid)
  const current = known ?? {
    ...entry(own, deviceOf(request.original), words),
    ...(request.features.ports.binding ? { bound: cnf !== undefined } : {}),
  }
  return [{ ...current, current: true }, ...others]
}

/**
 * The live sessions of a person for the operator, the one that was used last first.
 *
 * @throws {StoreUnavailable}
 */
export async function listSessionsOf(
  request: AuthRequest,
  sub: string,
): Promise<readonly OperatorSession[]> {
  const shown = await describedOf(request, sub, request.config.english.words)
  return shown.map(({ kind: _, current: __, ...session }) => session)
}

/** The live sessions of a person, the one that was used last first. */
async function describedOf(
  request: AuthRequest,
  sub: string,
  words: Words,
): Promise<readonly ShownSession[]> {
  const records = await liveRecords(request, sub)
  const mark = await boundMarks(request, records)
  const listed = await Promise.all(
    records.map(async (record) => ({
      ...(await describe(record, request, words)),
      ...mark(record),
    })),
  )
  return listed.sort((one, other) => other.lastUsed.localeCompare(one.lastUsed))
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
  const mark = await boundMarks(request, records)
  return Promise.all(
    records.map(async (record) => {
      const opened = await request.keys.record.open(record.sealed)
      const {
        current: _,
        kind: __,
        ...listed
      } = { ...entry(record, deviceIn(opened), request.config.english.words), ...mark(record) }
      const token = isRecord(opened?.token) ? (opened.token as JWT) : undefined
      if (!token) return listed
      const { name = null, email = null, picture = null } = token
      return { ...listed, user: { name, email, image: picture } }
    }),
  )
}

/** Says of a session whether it is bound, if the service binds any. @throws {StoreUnavailable} */
async function boundMarks(
  request: AuthRequest,
  records: readonly SessionRecord[],
): Promise<(record: SessionRecord) => Pick<ExportedSession, 'bound'>> {
  const { binding } = request.features.ports
  if (!binding) return () => ({})
  const bound = await binding.boundOf(
    request,
    records.map(({ sid }) => sid),
  )
  return ({ sid }) => ({ bound: bound.has(sid) })
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
    ...companyOf([provider]),
    device: nameOfDevice(device, words),
    kind: kindOfDevice(device),
    place: device.place ?? null,
    created: iso(created),
    lastUsed: iso(updated),
    expires: iso(expires),
  }
}
