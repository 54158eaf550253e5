import { randomBytes } from 'node:crypto'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { RevocationList } from '@latchkey/session/internal'
import type { EndedSession } from '@latchkey/session/issue'
import { SessionsInUse } from '@latchkey/session/verifier/sessions-in-use'
import { EndingLog } from '@latchkey/worker/stores/ending-log'
import { TOKEN_MAX_AGE } from './sizes.js'

const SAMPLE = 100_000
const now = Math.floor(Date.now() / 1000)
let inIsolate: number | undefined
let inApp: number | undefined
let inUse: number | undefined

/** Memory of an app's list with so many ended sessions, and of the sessions that it asks about. Bytes. */
export function bytesOfApp(entries: number, asked: number): number {
  inApp ??= measure((sessions) => listOf(sessions))
  inUse ??= measure(sessionsInUse)
  return entries * inApp + asked * inUse
}

/** Of the list and of what the feed is made of, which an isolate has beside it. */
export function bytesOfIsolate(entries: number): number {
  inIsolate ??= measure((sessions) => {
    const log = new EndingLog()
    log.addTold({ sessions, users: [] }, 0)
    return [listOf(sessions), log]
  })
  return entries * inIsolate
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

/** Bytes of one of {@link SAMPLE} entries of what is made. */
function measure(make: (sessions: readonly EndedSession[]) => unknown): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  const before = process.memoryUsage().heapUsed
  const made = make(
    Array.from({ length: SAMPLE }, () => ({ sid: randomBytes(16).toString('base64url'), at: now })),
  )
  collect()
  const bytes = process.memoryUsage().heapUsed - before
  if (made === undefined) throw new Error('There is nothing to measure.')
  return bytes / SAMPLE
}
