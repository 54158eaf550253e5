import { clientFromEnv, type SandboxVariables } from './client-from-env.js'
import { testPeople, withoutPictures } from './people.js'
import { createSandbox, type Sandbox } from './sandbox.js'

/**
 * The sandbox that `npm start` has, by its variables.
 * @throws {TypeError} for a client that could not be registered at the real video app.
 */
export const sandboxFromEnv = (env: SandboxVariables): Sandbox =>
  createSandbox({
    clients: [clientFromEnv(env)],
    people: testPeople.map(withoutPictures),
    mailboxKey: env.SANDBOX_MAILBOX_KEY ?? '',
  })
