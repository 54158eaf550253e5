import { type AuthRequest, nowInSeconds } from '../../../http/request.js'
import { oldestPid } from '../../../lib/oldest-pid.js'
import type { Ending } from '../../../service/session-hooks.js'
import { isRevoked } from '../../../session/revoke.js'
import { wholeList } from '../../../stores/whole-list.js'
import { storedIn } from '../grant.js'
import { ledgerOf } from '../grant-ledger.js'
import { serverOf } from '../settings.js'
import { LEASE, tellApps } from './deliver.js'
import { type EndedAtApp, nameOf, putNotices, type Row } from './outbox.js'

/** How often in a minute, in one isolate, a session that is over may end once more: it repairs a fault, and floods no app. */
const MAX_AGAIN = 2

/** What a request is ending. One session of many is not noted by itself. */
const underWay = new WeakMap<AuthRequest, Set<Ending>>()

/** The most sessions that the ledger is asked about, when all of a person's end. An app may hear of the others twice. */
const MAX_ASKED = 30

/**
 * Notes which apps have to hear that sessions are over, before they end: a fault afterwards loses no logout, since any isolate finds
 * the note, and asks the ledger then whether they have ended.
 *
 * @returns called once they have ended, which tells the apps after the answer; `undefined`: no app asks for it
 * @throws {StoreUnavailable} the sessions must not end
 */
export async function noteEnding(
  request: AuthRequest,
  ending: Ending,
): Promise<(() => Promise<void>) | undefined> {
  if (!serverOf(request).hearsLogout) return undefined
  const others = underWay.get(request) ?? new Set()
  underWay.set(request, others)
  if ([...others].some((other) => includes(other, ending))) return undefined
  if (await isTooOften(request, ending)) return undefined
  others.add(ending)
  const known = await signedInAt(request, ending)
  const living = ending.sids ? known : await stillLiving(request, ending.sub, known)
  const rows = await note(request, ending.sub, living)
  return async () => {
    others.delete(ending)
    // A grant may have begun between the list and the end. None does from now on.
    const names = new Set(known.map(nameOf))
    const later = (await signedInAt(request, ending)).filter((one) => !names.has(nameOf(one)))
    // Also a session that has begun since all others ended: it goes on.
    const begun = ending.sids ? later : await over(request, ending.sub, later)
    const all = [...rows, ...(await note(request, ending.sub, begun))]
    if (all.length > 0) request.waitUntil(tellApps(request, all))
  }
}

async function note(
  request: AuthRequest,
  sub: string,
  endings: readonly EndedAtApp[],
): Promise<readonly Row[]> {
  // Until then this request tells the apps.
  return putNotices(request, { sub, endings, tries: 0, next: request.config.now() + LEASE })
}

/** The apps that a person is signed in at by these sessions, each once for each session. */
async function signedInAt(request: AuthRequest, ending: Ending): Promise<readonly EndedAtApp[]> {
  const { sub } = ending
  const { apps } = serverOf(request)
  const all = new Map<string, EndedAtApp>()
  for (const grant of storedIn(request, sub, await wholeList(ledgerOf(request), sub, ['grant']))) {
    const { app, told, began } = grant
    if (told === undefined || apps.get(app)?.backchannelLogoutUri === undefined) continue
    if (!isEnded(ending, told.sid)) continue
    const one = { app, ...told, began }
    all.set(nameOf(one), one)
  }
  return [...all.values()]
}

/** Leaves out sessions that had ended before: a grant stays until its session would have ended by itself. */
async function stillLiving(
  request: AuthRequest,
  sub: string,
  all: readonly EndedAtApp[],
): Promise<readonly EndedAtApp[]> {
  const { revocations } = request
  // A session that this isolate knows to be over costs no call.
  const perhaps = all.filter(({ sid, began }) => !revocations.has({ sub, sid, auth_time: began }))
  const gone = await over(request, sub, perhaps, MAX_ASKED)
  return perhaps.filter((one) => !gone.includes(one))
}

/** The endings whose sessions are over. @param most sessions that the ledger is asked about */
async function over(
  request: AuthRequest,
  sub: string,
  all: readonly EndedAtApp[],
  most?: number,
): Promise<readonly EndedAtApp[]> {
  if (all.length === 0) return []
  // The end of an erased person is under this name.
  const pid = await oldestPid(request.keys, sub)
  const sessions = new Map(
    all.map(({ sid, began }) => [sid, { sub, sid, auth_time: began, pid }] as const),
  )
  const asked = [...sessions.values()].slice(0, most)
  const ended = await Promise.all(
    asked.map(async (one) => ((await isRevoked(request, one)) ? one.sid : '')),
  )
  return all.filter(({ sid }) => ended.includes(sid))
}

/** Has a session ended once more too often? The apps have heard of it, or there is a note. */
async function isTooOften(request: AuthRequest, { sub, sids }: Ending): Promise<boolean> {
  const isOver = (sid: string) =>
    request.revocations.has({ sub, sid, auth_time: Number.MAX_SAFE_INTEGER })
  if (!sids || sids.length === 0 || !sids.every(isOver)) return false
  const name = `logouts of ${sids.join()}`
  return (await request.counts.admit(name, MAX_AGAIN, nowInSeconds(request))).wait > 0
}

function isEnded(ending: Ending, sid: string): boolean {
  return ending.sids ? ending.sids.includes(sid) : sid !== ending.except
}

function includes(other: Ending, { sub, sids }: Ending): boolean {
  return other.sub === sub && sids !== undefined && sids.every((sid) => isEnded(other, sid))
}
