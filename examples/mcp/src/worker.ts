import { protectMcp } from '@latchkey/session'
import { who } from './who.js'

interface Env {
  readonly AUTH_WORKER_URL: string
  /** The address of this server, which is the audience of its tokens. */
  readonly MCP_URL: string
}

let protect: ReturnType<typeof protectMcp> | undefined

export default {
  async fetch(request: Request, env: Env, ctx: ExecutionContext): Promise<Response> {
    protect ??= protectMcp({
      audience: env.MCP_URL,
      scope: 'who:read',
      name: 'Who',
      worker: env.AUTH_WORKER_URL,
    })
    const found = await protect(request, { waitUntil: (work) => ctx.waitUntil(work) })
    return found instanceof Response ? found : who.fetch(request, { authInfo: found })
  },
}
