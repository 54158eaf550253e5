import { randomBytes } from 'node:crypto'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { RevocationList } from '@latchkey/session/internal'
import type { EndedSession } from '@latchkey/session/issue'
import { EndingLog } from '@latchkey/worker/stores/ending-log'
import { TOKEN_MAX_AGE } from './sizes.js'

const SAMPLE = 100_000
const now = Math.floor(Date.now() / 1000)
let inIsolate: number | undefined
let inApp: number | undefined

/** Memory of the real list with so many ended sessions. Bytes. */
export function bytesOfList(entries: number): number {
  inApp ??= measure((sessions) => listOf(sessions))
  return entries * inApp
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
