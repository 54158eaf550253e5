import { randomBytes } from 'node:crypto'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { RevocationList } from '@latchkey/session/internal'

const SAMPLE = 100_000
let bytesOfEntry: number | undefined

/** Memory of the real list with so many ended sessions. Bytes. */
export function bytesOfList(entries: number): number {
  bytesOfEntry ??= measure(() => {
    const list = new RevocationList(Date.now)
    const at = Math.floor(Date.now() / 1000)
    const sids = Array.from({ length: SAMPLE }, () => randomBytes(16).toString('base64url'))
    list.add({ sessions: sids.map((sid) => ({ sid, at })), users: [] }, 300)
    return list
  })
  return entries * bytesOfEntry
}

/** Bytes of one of {@link SAMPLE} entries of what is made. */
function measure(make: () => unknown): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  const before = process.memoryUsage().heapUsed
  const made = make()
  collect()
  const bytes = process.memoryUsage().heapUsed - before
  if (made === undefined) throw new Error('There is nothing to measure.')
  return bytes / SAMPLE
}
