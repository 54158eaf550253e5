import type { SandboxVariables } from './client-from-env.js'
import type { Sandbox } from './sandbox.js'
import { sandboxFromEnv } from './sandbox-from-env.js'

// One local isolate holds every code and token: good for development only.
let sandbox: Sandbox | undefined

export default {
  fetch(request, env, ctx) {
    try {
      sandbox ??= sandboxFromEnv(env)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      console.error(reason)
      return new Response(`${reason}\n`, { status: 500 })
    }
    return sandbox.fetch(request, env, ctx)
  },
} satisfies ExportedHandler<SandboxVariables>
