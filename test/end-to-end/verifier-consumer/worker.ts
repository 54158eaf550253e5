import { createVerifier, type Verifier } from '@latchkey/session'

interface Env {
  /** The auth service's Worker, by its ordinary entry. */
  readonly AUTH: { fetch(input: string, init?: RequestInit): Promise<Response> }
}

/** Made once in an isolate, as in an app: all requests share its cache. */
let verifier: Verifier | undefined
const asked: string[] = []
/** The time that the last request gave. Milliseconds. */
let clock: number | undefined
/** How many requests have arrived, by the meeting that they name in `x-meeting`. */
const arrivals = new Map<string, number>()
/** Name and size of the last meeting. */
let meeting = ' 0'

/** Answers with the session and the calls to the service. */
export default {
  async fetch(request, env, ctx): Promise<Response> {
    const { headers } = request
    const named = headers.get('x-meeting') ?? ' 0'
    const { pathname } = new URL(request.url)
    if (pathname === '/arrived') return Response.json(arrivals.get(named) ?? 0)
    meeting = named
    arrivals.set(named, (arrivals.get(named) ?? 0) + 1)
    clock = headers.has('x-clock') ? Number(headers.get('x-clock')) : undefined
    verifier ??= createVerifier({
      worker: { fetch: (url, init) => ask(env, url, init) },
      issuer: new URL('/auth', request.url).href,
      now: () => clock ?? Date.now(),
    })
    const waitUntil = (work: Promise<unknown>) => ctx.waitUntil(work)
    try {
      const reading = verifier.read(headers.get('cookie'), {
        online: headers.has('x-online'),
        ...(headers.has('x-no-wait-until') ? {} : { waitUntil }),
      })
      const { session, setCookie } = await reading
      const isAtOnce = !(reading instanceof Promise)
      return Response.json({ session, setCookie, isAtOnce, asked: asked.splice(0) })
    } catch (error) {
      return new Response((error as Error).message, { status: 503 })
    }
  },
} satisfies ExportedHandler<Env>

async function ask({ AUTH }: Env, url: string, init: RequestInit = {}): Promise<Response> {
  asked.push(new URL(url).pathname)
  // The other requests have to arrive first, and the one that asks to be aborted.
  const size = Number(meeting.split(' ')[1])
  for (const named = meeting; (arrivals.get(named) ?? 0) < size; ) await scheduler.wait(10)
  return AUTH.fetch(url, init)
}
