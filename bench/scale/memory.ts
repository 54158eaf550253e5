import { randomBytes } from 'node:crypto'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { RevocationList } from '@latchkey/session/internal'
import { CLOCK_SKEW, type EndedSession } from '@latchkey/session/issue'
import { SessionsInUse } from '@latchkey/session/verifier/sessions-in-use'
import { RevocationTimeline } from '@latchkey/worker/stores/revocation-timeline'
import { TOKEN_MAX_AGE } from './sizes.js'

const SAMPLE = 100_000
/** A list of more is not made: it is a multiple of this one. */
const MOST = 2_000_000
const now = Math.floor(Date.now() / 1000)
let inApp: number | undefined
let inUse: number | undefined

/** Memory of an app's list with so many ended sessions, and of the sessions that it asks about. Bytes. */
export function bytesOfApp(entries: number, asked: number): number {
  inApp ??= measure((sessions) => listOf(sessions))
  inUse ??= measure(sessionsInUse)
  return entries * inApp + asked * inUse
}

/**
 * The bytes of an isolate's list, which the feed is made from as well, with ids as long as they can
 * be.
 */
export function bytesOfIsolate(entries: number): number {
  const measured = Math.min(Math.round(entries), MOST)
  if (measured === 0) return 0
  const copies = Math.ceil(SAMPLE / measured)
  const bytes = bytesOf(() => Array.from({ length: copies }, () => isolateList(measured)))
  return (bytes / copies / measured) * entries
}

/** Endings of the seconds for which they are known, in lines as a collector sends them. */
function isolateList(entries: number): RevocationTimeline {
  const list = new RevocationTimeline()
  const seconds = TOKEN_MAX_AGE + CLOCK_SKEW
  const upTo = (second: number) => Math.floor((second * entries) / seconds)
  for (let second = 0; second < seconds; second++) {
    const sids = Array.from({ length: upTo(second + 1) - upTo(second) }, () => randomSid(19))
    if (sids.length > 0) list.add({ seconds: [[now + second, sids.join(',')]], users: [] })
  }
  return list
}

function listOf(sessions: readonly EndedSession[]): RevocationList {
  const list = new RevocationList(Date.now)
  list.add({ sessions, users: [] }, TOKEN_MAX_AGE)
  return list
}

/** A thousand for each server. */
function sessionsInUse(sessions: readonly EndedSession[]): readonly SessionsInUse[] {
  return Array.from({ length: SAMPLE / 1_000 }, (_, server) => {
    const inUse = new SessionsInUse()
    for (const { sid } of sessions.slice(server * 1_000, (server + 1) * 1_000)) {
      inUse.add({ sid, pid: sid.slice(0, 12) }, now)
    }
    return inUse
  })
}

/** The bytes of one of the {@link SAMPLE} entries that `make` makes. */
function measure(make: (sessions: readonly EndedSession[]) => unknown): number {
  const sessions = () => Array.from({ length: SAMPLE }, () => ({ sid: randomSid(), at: now }))
  return bytesOf(() => make(sessions())) / SAMPLE
}

function randomSid(bytes = 16): string {
  return randomBytes(bytes).toString('base64url')
}

/** The bytes of the result, including memory outside of JavaScript's heap. */
function bytesOf(make: () => unknown): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const used = () => {
    // The first collection frees memory outside of the heap beside the running program.
    for (let time = 0; time < 3; time++) collect()
    const { heapUsed, external } = process.memoryUsage()
    return heapUsed + external
  }
  const before = used()
  const made = make()
  const bytes = used() - before
  if (made === undefined) throw new Error('There is nothing to measure.')
  return bytes
}
