import { exportJwks } from '@latchkey/session/issue'
import type { AuthContext } from '../http/scope.js'

/** GET /jwks.json: the public keys, so that any service can verify sessions (RFC 7517). */
export function jwks(c: AuthContext): Response {
  c.header('Cache-Control', 'public, max-age=300')
  return c.json(exportJwks(c.env.config.keys.session.verify))
}
