import { createVerifier, type Verifier } from '@latchkey/session'

interface Env {
  /** The auth service's Worker, by its ordinary entry. */
  readonly AUTH: { fetch(input: string, init?: RequestInit): Promise<Response> }
}

/** Made once in an isolate, as an app makes it: its requests share what it knows. */
let verifier: Verifier | undefined
const asked: string[] = []

/** Shows who is signed in, and what the service was asked. */
export default {
  async fetch(request, env, ctx): Promise<Response> {
    const issuer = new URL('/auth', request.url).href
    verifier ??= createVerifier({ worker: { fetch: (url, init) => ask(env, url, init) }, issuer })
    const { headers } = request
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
  // Time for the other requests to come, and for the first one to be broken off.
  await scheduler.wait(300)
  return AUTH.fetch(url, init)
}
