import type { Outcome } from '../../http/outcome.js'
import type { AuthRequest } from '../../http/request.js'
import { lookSometimes } from './logout/deliver.js'
import { publicJwks } from './oauth-keys.js'

/** GET /oauth/jwks.json: the public keys of access and ID tokens. None of them is a key of sessions. */
export async function showJwks(request: AuthRequest): Promise<Outcome> {
  lookSometimes(request)
  return { kind: 'json', body: await publicJwks(request), cacheFor: 300 }
}
