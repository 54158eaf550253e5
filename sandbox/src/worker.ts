import { clientFromEnv, type SandboxVariables } from './client-from-env.js'
import { testPeople, withoutPictures } from './people.js'
import { createSandbox, type Sandbox } from './sandbox.js'

// One local isolate holds every code and token: good for development only.
let sandbox: Sandbox | undefined

export default {
  fetch(request, env, ctx) {
    try {
      sandbox ??= createSandbox({
        clients: [clientFromEnv(env)],
        people: testPeople.map(withoutPictures),
        mailboxKey: env.SANDBOX_MAILBOX_KEY ?? '',
      })
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      console.error(reason)
      return new Response(`${reason}\n`, { status: 500 })
    }
    return sandbox.fetch(request, env, ctx)
  },
} satisfies ExportedHandler<SandboxVariables>
