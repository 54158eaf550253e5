import type { Request } from 'express'
import { type Contestant, people, type Session } from '../contestant.ts'
import { expressRequests } from '../express-requests.ts'

// A process in which one contestant reads sessions, as many at a time as the message says, and
// reports the processor time of one read.

/** Few enough that a header is still in the processor's cache, like one that just arrived. */
const BATCH = 500

const [file = '', sessions = ''] = process.argv.slice(2)
const contestant: Contestant = (await import(`../contestants/${file}.ts`)).default
const everybody = people(Number(sessions))
const headers = await contestant.signIn(everybody)
let position = 0

for (const { name, header } of headers.slice(0, 50).map(named)) {
  const [req] = expressRequests([header])
  const session = req && (await contestant.read(req))
  if (session?.user?.name !== name) throw new Error(`${file} read another session than ${name}'s.`)
}
process.on('message', async (reads: number) => {
  await contestant.forget?.()
  process.send?.(await measure(reads))
})
process.send?.('ready')

/** Microseconds of processor time that one read takes, of all threads of this process. */
async function measure(reads: number): Promise<number> {
  let used = 0
  for (let left = reads; left > 0; left -= BATCH) {
    const requests = expressRequests(nextHeaders(Math.min(left, BATCH)))
    // Collect garbage of making the requests, which is not the contestant's.
    globalThis.gc?.({ type: 'minor' })
    const before = process.cpuUsage()
    const found = await readAll(requests)
    const { user, system } = process.cpuUsage(before)
    used += user + system
    if (found !== requests.length) throw new Error(`${file} found ${found} sessions.`)
  }
  return used / reads
}

/** Awaits only contestants that return a promise. */
async function readAll(requests: readonly Request[]): Promise<number> {
  let found = 0
  for (const req of requests) {
    const reading = contestant.read(req)
    const session: Session | null | undefined = reading instanceof Promise ? await reading : reading
    if (session) found++
  }
  return found
}

/** The next in turn, round and round. */
function nextHeaders(count: number): string[] {
  const taken: string[] = []
  while (taken.length < count) taken.push(headers[position++ % headers.length] ?? '')
  return taken
}

function named(header: string, index: number) {
  return { header, name: everybody[index]?.name }
}
