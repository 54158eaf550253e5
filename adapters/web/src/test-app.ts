import type { AuthConfig } from '@latchkey/worker'
import { binding, providers, quiet, SECRET } from '../../../test/contracts/adapters/app.js'
import type { WebAuthConfig } from './index.js'

export {
  Browser,
  binding,
  NAME,
  OFFER,
  ORIGIN,
  offering,
  ofSession,
  SECRET,
  silent,
} from '../../../test/contracts/adapters/app.js'

/** A configuration with a logger of its own, so that it does not count as a copy of another one. */
export function inProcess(more: Partial<AuthConfig> = {}): WebAuthConfig {
  return { secret: SECRET, providers, logger: { ...quiet }, ...more }
}

/** The ways to serve the auth routes. */
export const modes: readonly (readonly [name: string, config: () => WebAuthConfig])[] = [
  ['in process', () => inProcess()],
  ['bound', () => ({ worker: binding(), logger: { ...quiet } })],
]
