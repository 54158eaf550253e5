import {
  McpGate,
  type McpOptions,
  type RequireTokenOptions,
  refusalResponse,
  TokenGate,
} from '@latchkey/host'
import type { AccessToken } from '@latchkey/session'
import { WorkerUnavailable } from '@latchkey/session'
import { ExpressHostRequest, host } from './express-host.js'
import { sendResponse } from './send-response.js'
import type { AuthMiddleware, ExpressRequest, ExpressResponse, Next, TokenConfig } from './types.js'

/**
 * Lets a request with an access token for this API pass, which is then in `res.locals.token` and `req.auth`. The token
 * is read from the `Authorization` header alone, where an API key may be too, and no cookie counts. Any other request gets 401 or
 * 403, `WWW-Authenticate` (RFC 6750, RFC 9470) and JSON, never a redirect. OPTIONS passes.
 *
 * Answers behind it have `Cache-Control: private, no-store`, unless a route sets another value. If it is unknown
 * whether the token counts, `next` gets an error with `status` 503.
 *
 * @param config the configuration of `MiddlewareAuth`, or `worker` and `issuer` of the service; left out, the auth
 *   routes of this app decide, or else `AUTH_WORKER_URL`
 * @throws {TypeError | AuthError} at once if an option is invalid
 * @example app.get('/notes', requireToken({ audience: 'https://api.example.com/', scope: 'notes:read' }), list)
 */
export function requireToken(options: RequireTokenOptions, config?: TokenConfig): AuthMiddleware {
  const gate = new TokenGate(options, config, { host, name: 'requireToken' })
  return async (req, res, next) => {
    if (req.method === 'OPTIONS') return next()
    try {
      const pending = gate.read(requestOf(req, config))
      const { token, refusal } = pending instanceof Promise ? await pending : pending
      if (refusal) return await sendResponse(refusalResponse(refusal), res)
      keep(token, req, res)
    } catch (error) {
      return unknown(error, res, next)
    }
    next()
  }
}

/**
 * Guards an MCP server at the path of its `audience` and below, and answers its metadata (RFC 9728) and preflights. The
 * token is in `req.auth`, as the MCP SDK reads it. All other requests pass. Mount it at the root of the app, before the
 * MCP server.
 *
 * @param config as for {@link requireToken}
 * @throws {TypeError | AuthError} at once if an option is invalid
 * @example
 * app.use(protectMcp({ audience: 'https://example.com/mcp', scope: 'notes:read' }))
 * app.all('/mcp', (req, res) => handler(req, res, req.body))
 */
export function protectMcp(options: McpOptions, config?: TokenConfig): AuthMiddleware {
  const gate = new McpGate(options, config, host)
  return async (req, res, next) => {
    try {
      const request = requestOf(req, config)
      const headers = gate.headersFor(request)
      if (!headers) return next()
      for (const [name, value] of headers) res.setHeader(name, value)
      const found = await gate.pass(request)
      if (found instanceof Response) return await sendResponse(found, res)
      keep(found, req, res)
    } catch (error) {
      return unknown(error, res, next)
    }
    next()
  }
}

function requestOf(req: ExpressRequest, config: TokenConfig | undefined): ExpressHostRequest {
  return new ExpressHostRequest(req, config as ConstructorParameters<typeof ExpressHostRequest>[1])
}

function keep(token: AccessToken, req: ExpressRequest, res: ExpressResponse): void {
  ;(res.locals as Express.Locals).token = token
  ;(req as { auth?: AccessToken }).auth = token
  res.setHeader('Cache-Control', 'private, no-store')
}

function unknown(error: unknown, res: ExpressResponse, next: Next): void {
  if (error instanceof WorkerUnavailable) res.setHeader('Retry-After', '5')
  res.setHeader('Cache-Control', 'private, no-store')
  next(error)
}
