import { authHandler, session } from '@latchkey/hono'
import { webAuth } from '@latchkey/web'
import github from '@latchkey/web/providers/github'
import { Hono } from 'hono'
import { ORIGIN, people, SECRET } from '../contestant.ts'
import { ISSUER, signInWithTokens } from '../tokens.ts'

// A process in which requests pass through an app of Hono, or through a function of standard
// requests, that reads the session or does not. It reports the processor time of one request.

/** What the process measures. */
export interface Measure {
  readonly isWithSession: boolean
  readonly requests: number
}

/** Few enough that a request is still in the processor's cache, like one that just arrived. */
const BATCH = 500

type Fetch = (request: Request) => Response | Promise<Response>

const [kind = '', sessions = ''] = process.argv.slice(2)
process.env.AUTH_URL = ISSUER
process.env.AUTH_SECRET = SECRET
const config = { providers: [github({ clientId: 'bench', clientSecret: 'bench' })] }

const apps: Readonly<Record<string, () => Readonly<Record<'with' | 'without', Fetch>>>> = {
  hono() {
    const bare = new Hono()
    bare.get('/account', (c) => c.text('everybody'))
    const app = new Hono()
    app.all('/auth/*', authHandler(config))
    app.get('/account', session(), (c) => c.text(c.var.session?.user?.name ?? 'nobody'))
    return { without: (request) => bare.fetch(request), with: (request) => app.fetch(request) }
  },
  web() {
    const { handle } = webAuth(config)
    return {
      without: async () => new Response('everybody'),
      with: (request) =>
        handle(request, async (auth) => new Response((await auth())?.user?.name ?? 'nobody')),
    }
  },
}
const app = apps[kind]?.()
if (!app) throw new Error(`There is no app ${kind}.`)
const everybody = people(Number(sessions))
const cookies = await signInWithTokens(everybody)
let position = 0

for (const { name } of everybody.slice(0, 50)) {
  const [request] = nextRequests(1)
  const text = request && (await (await app.with(request)).text())
  if (text !== name) throw new Error(`${kind} read the session of ${text} instead of ${name}'s.`)
}
process.on('message', async ({ isWithSession, requests }: Measure) => {
  process.send?.(await measure(isWithSession ? app.with : app.without, requests))
})
process.send?.('ready')

/** Microseconds of processor time that one request takes. */
async function measure(fetch: Fetch, count: number): Promise<number> {
  let used = 0
  for (let left = count; left > 0; left -= BATCH) {
    const requests = nextRequests(Math.min(left, BATCH))
    // Collect garbage of making the requests, which is not the app's.
    globalThis.gc?.({ type: 'minor' })
    const before = process.cpuUsage()
    let found = 0
    for (const request of requests) if ((await fetch(request)).ok) found++
    const { user, system } = process.cpuUsage(before)
    used += user + system
    if (found !== requests.length) throw new Error(`${kind} answered ${found} requests.`)
  }
  return used / count
}

/** The requests of the next people in turn, round and round. */
function nextRequests(count: number): Request[] {
  return Array.from({ length: count }, () => {
    const cookie = cookies[position++ % cookies.length] ?? ''
    return new Request(`${ORIGIN}/account`, { headers: { accept: 'text/html', cookie } })
  })
}
