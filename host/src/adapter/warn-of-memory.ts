import { AuthError } from '@latchkey/session'
import { type Environment, textOf } from '../shared/environment.js'
import type { HostConfig } from './host-config.js'
import { logErrorOf } from './log-error.js'
import { warnBy } from './origin-warnings.js'

const FORGETS =
  'Everything is kept in the memory of this process. A restart loses it: sessions, and the passwords, passkeys, second factors, added ways to sign in and blocks that there are. Set AUTH_STORE, or `worker`.'

/** In production, says what the end of the process loses. On a platform of functions it may end at any moment. */
export function warnOfMemory({ config, env }: { config: HostConfig; env: Environment }): void {
  if (textOf(env, 'NODE_ENV') !== 'production' || env.NEXT_PHASE === 'phase-production-build')
    return
  if (env.VERCEL === '1') logErrorOf(config)(new AuthError(FORGETS))
  else warnBy(config.logger)('memory-store', FORGETS)
}
