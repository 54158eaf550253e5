import { exportJwks } from '@latchkey/session/issue'
import type { Outcome } from '../http/outcome.js'
import type { AuthRequest } from '../http/request.js'

/** GET /jwks.json: the public keys, so that any service can verify sessions (RFC 7517). */
export function jwks(request: AuthRequest): Outcome {
  const body = exportJwks(request.keys.session.verify)
  return { kind: 'json', body, cacheFor: 300 }
}
