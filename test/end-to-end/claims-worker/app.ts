import { createVerifier, type Verifier } from '@latchkey/session'

interface Env {
  readonly AUTH_WORKER_URL: string
}

let verifier: Verifier | undefined

/** An app in a Worker: it answers with the session. */
export default {
  async fetch(request, env, ctx) {
    verifier ??= createVerifier({ worker: env.AUTH_WORKER_URL, issuer: env.AUTH_WORKER_URL })
    const waitUntil = (work: Promise<unknown>) => ctx.waitUntil(work)
    const { session } = await verifier.read(request.headers.get('cookie'), { waitUntil })
    return Response.json(session)
  },
} satisfies ExportedHandler<Env>
