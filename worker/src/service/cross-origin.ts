import type { AuthRequest } from '../http/request.js'
import { withSecurityHeaders } from './security-headers.js'

/** What a script of another origin may send: its own credentials in a header, and never cookies. */
const ALLOWED_HEADERS = 'Authorization, Content-Type, MCP-Protocol-Version'

/** Lets scripts of every origin read an answer, and what it challenges them for. No browser sends cookies for it. */
export function forEveryOrigin(response: Response): Response {
  response.headers.set('access-control-allow-origin', '*')
  response.headers.set('access-control-expose-headers', 'WWW-Authenticate')
  return response
}

/**
 * The answer to OPTIONS, by which a browser asks if a script may send a request (Fetch, "CORS-preflight fetch").
 *
 * @param methods that the route has
 */
export function preflight({ secure }: AuthRequest, methods: string): Response {
  const headers = {
    'access-control-allow-methods': methods,
    'access-control-allow-headers': ALLOWED_HEADERS,
    'access-control-max-age': '86400',
  }
  const response = new Response(null, { status: 204, headers })
  return withSecurityHeaders(forEveryOrigin(response), secure)
}
