import { fetchPublic } from '#document-fetch'
import { nextTry } from '../../../http/next-try.js'
import type { AuthRequest } from '../../../http/request.js'
import { type Failure, sendOnce } from '../../../http/send-once.js'
import { warnRarely } from '../../../http/warn-rarely.js'
import { isLoopback } from '../../../lib/is-loopback.js'
import { oldestPid } from '../../../lib/oldest-pid.js'
import { isRevoked } from '../../../session/revoke.js'
import { serverOf } from '../settings.js'
import { logoutToken } from './logout-token.js'
import {
  changeNotice,
  type EndedAtApp,
  listNotices,
  type Notice,
  type Row,
  removeNotice,
} from './outbox.js'

/** For so long a notice belongs to the isolate that is telling the apps. Milliseconds. */
export const LEASE = 60_000
/** How long a receiver may take until its answer begins. Milliseconds. */
const PATIENCE = 5_000
/** Nothing begins later than this: a Worker has 30 seconds after its answer. Milliseconds. */
const HOLD = 10_000
/** Tries under way at once. */
const AT_ONCE = 4
/** The notices that one look takes. */
const MAX_DUE = 5
/** How often an isolate with requests looks. Milliseconds. */
const INTERVAL = 60_000
/** A try that is this near is waited for after the answer. Milliseconds. */
const NEAR = 8_000
/** Apps that have not received a notice just now. */
type Down = Map<string, Failure | 'unsent'>

/** What an isolate has done. Milliseconds since the epoch. */
interface Looks {
  last: number
  /** When a timer of it looks. */
  timer: number
  /** Where the next list begins. */
  after: string | undefined
}

/** By the object that a ledger has for itself. */
const looks = new WeakMap<AuthRequest['revocations'], Looks>()

function looksOf({ revocations }: AuthRequest): Looks {
  const own = looks.get(revocations) ?? { last: 0, timer: 0, after: undefined }
  looks.set(revocations, own)
  return own
}

/** Tells apps of sessions that have just ended, and those that did not hear it once more. Never throws. */
export async function tellApps(request: AuthRequest, rows: readonly Row[]): Promise<void> {
  try {
    const times: number[] = []
    for (const row of rows) times.push(...(await deliver(request, row)))
    const wait = Math.min(...times) - request.config.now()
    if (wait <= NEAR) await new Promise((done) => setTimeout(done, Math.max(0, wait)))
    if (times.length > 0) await look(request)
  } catch (error) {
    // The notices are there.
    request.config.logger.error(error as Error)
  }
}

/**
 * Looks for notices that are due, once a minute in each isolate: whichever has requests goes on where another one has ended. It costs
 * nothing where no app asks for it.
 */
export function lookSometimes(request: AuthRequest): void {
  if (!serverOf(request).hearsLogout) return
  const own = looksOf(request)
  if (request.config.now() - own.last < INTERVAL) return
  request.waitUntil(looking(request))
}

/** As {@link look}. Never throws. */
function looking(request: AuthRequest): Promise<void> {
  return look(request).catch((error: Error) => request.config.logger.error(error))
}

/** Takes some of the notices that are due. @throws {StoreUnavailable} */
async function look(request: AuthRequest): Promise<void> {
  const own = looksOf(request)
  const now = request.config.now()
  own.last = now
  const { rows, after } = await listNotices(request, own.after)
  own.after = after
  const isDue = ({ next }: Row) => next <= now
  const due = rows.filter(isDue)
  const times = rows.filter((row) => !isDue(row)).map(({ next }) => next)
  if (due.length > MAX_DUE || after !== undefined) times.push(now + NEAR)
  // An app that is down, and its many notices, keep no other app waiting.
  const down: Down = new Map()
  let looked = 0
  for (const row of due.toSorted(
    (one, other) => one.tries - other.tries || one.next - other.next,
  )) {
    if (looked === MAX_DUE) break
    if (row.endings.every(({ app }) => down.has(app))) {
      times.push(now + INTERVAL)
      continue
    }
    looked++
    const taken = await changeNotice(request, row, { ...row, next: now + LEASE })
    const sure = taken && (row.tries === 0 ? await thatEnded(request, taken) : taken)
    if (sure) times.push(...(await deliver(request, sure, down)))
  }
  if (times.length > 0) wakeAt(request, Math.min(...times))
}

/** A process that goes on looks in time by itself. A Worker's isolate ends its timers with the request. */
function wakeAt(request: AuthRequest, time: number): void {
  const own = looksOf(request)
  const now = request.config.now()
  if (own.timer > now && own.timer <= time) return
  own.timer = time
  const timer: unknown = setTimeout(() => void looking(request), Math.max(time - now, 1_000))
  ;(timer as { unref?(): void }).unref?.()
}

/** Without the endings that were noted, and did not come about. @returns `undefined`: the others have ended too */
async function thatEnded(request: AuthRequest, row: Row): Promise<Row | undefined> {
  const { sub } = row
  const pid = await oldestPid(request.keys, sub)
  const over = new Map<string, boolean>()
  for (const { sid, began } of row.endings) {
    if (over.has(sid)) continue
    over.set(sid, await isRevoked(request, { sub, sid, auth_time: began, pid }))
  }
  const endings = row.endings.filter(({ sid }) => over.get(sid))
  if (endings.length > 0) return { ...row, endings }
  await removeNotice(request, row)
  return undefined
}

/**
 * One try for each ending of a notice that is this isolate's.
 *
 * @returns when the next one is due, if there is one. Milliseconds since the epoch
 * @throws {StoreUnavailable} the apps may hear it again
 */
async function deliver(
  request: AuthRequest,
  row: Row,
  down: Down = new Map(),
): Promise<readonly number[]> {
  const begin = request.config.now()
  const failed: EndedAtApp[] = []
  const { endings, sub } = row
  // If the key of one app cannot be read, the other apps still hear of it.
  const unsent = (error: Error) => {
    request.config.logger.error(error)
    return 'unsent' as const
  }
  let at = 0
  for (; at < endings.length && request.config.now() - begin < HOLD; at += AT_ONCE) {
    const part = endings.slice(at, at + AT_ONCE).map(async (one) => {
      // One receiver that does not answer takes no time of the others.
      const failure = down.get(one.app) ?? (await send(request, sub, one).catch(unsent))
      if (failure === undefined) return
      down.set(one.app, failure)
      failed.push(one)
    })
    await Promise.all(part)
  }
  // Endings without a try come first.
  const left = [...endings.slice(at), ...failed]
  const tries = row.tries + 1
  const next = left.length > 0 ? nextTry(tries, request.config.now(), Math.random()) : null
  for (const [app, failure] of down) {
    const text = `${app}: ${failure}${next === null ? ', given up' : ''}`
    await warnRarely(request, 'logout-not-received', text)
  }
  if (next === null) {
    await removeNotice(request, row)
    return []
  }
  const notice: Notice = { sub, endings: left, tries, next }
  return (await changeNotice(request, row, notice)) ? [next] : []
}

/** @returns `undefined`: it was received, or the app is no longer to hear it @throws {StoreUnavailable} */
async function send(
  request: AuthRequest,
  sub: string,
  ending: EndedAtApp,
): Promise<Failure | undefined> {
  const { apps, fetch } = serverOf(request)
  // As the configuration has it now: a row names no address.
  const app = apps.get(ending.app)
  const uri = app?.backchannelLogoutUri
  if (!app || uri === undefined) return undefined
  const body = new URLSearchParams({ logout_token: await logoutToken(request, app, sub, ending) })
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'user-agent': 'Latchkey' }
  // The app's name may lead to another address tomorrow: to a public one alone. This machine is named as such.
  const ask = fetch ?? (isLoopback(new URL(uri)) ? globalThis.fetch : fetchPublic)
  return sendOnce(uri, { headers, body: String(body) }, { fetch: ask, patience: PATIENCE })
}
