import { csrfToken } from '../http/csrf.js'
import type { AuthContext } from '../http/scope.js'

/** GET /csrf: the token that every POST must carry, and its cookie. */
export async function csrf(c: AuthContext): Promise<Response> {
  return c.json({ csrfToken: await csrfToken(c.env) })
}
