import { csrfToken } from '../http/csrf.js'
import { json, type Outcome } from '../http/outcome.js'
import type { AuthRequest } from '../http/request.js'

/** GET /csrf: the token that every POST must carry, and its cookie. */
export async function csrf(request: AuthRequest): Promise<Outcome> {
  return json({ csrfToken: await csrfToken(request) })
}
