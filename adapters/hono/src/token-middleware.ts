import {
  finishPersonal,
  type Host,
  McpGate,
  type McpOptions,
  type RequireTokenOptions,
  refusalResponse,
  TokenGate,
} from '@latchkey/host'
import type { Context, MiddlewareHandler } from 'hono'
import type { WithToken } from './context-variables.js'
import { HonoHostRequest } from './hono-host.js'
import type { Source } from './middleware.js'

type TokenSource = ConstructorParameters<typeof TokenGate>[1]

/** Lets requests with an access token pass. */
export function tokenReading(
  host: Host,
  options: RequireTokenOptions,
  config: TokenSource,
): MiddlewareHandler<WithToken> {
  const gate = new TokenGate(options, config, { host, name: 'requireToken' })
  return async (c, next) => {
    if (c.req.method === 'OPTIONS') return next()
    const { token, refusal } = await gate.read(requestOf(c, config))
    if (refusal) return refusalResponse(refusal)
    c.set('token', token)
    await next()
    replace(c, finishPersonal(c.res))
  }
}

/** Guards an MCP server, and answers its metadata. */
export function mcpGuarding(
  host: Host,
  options: McpOptions,
  config: TokenSource,
): MiddlewareHandler<WithToken> {
  const gate = new McpGate(options, config, host)
  return async (c, next) => {
    const request = requestOf(c, config)
    const headers = gate.headersFor(request)
    if (!headers) return next()
    for (const [name, value] of headers) c.header(name, value)
    const found = await gate.pass(request)
    if (found instanceof Response) return found
    c.set('token', found)
    await next()
    const answer = finishPersonal(c.res)
    for (const [name, value] of headers) answer.headers.set(name, value)
    replace(c, answer)
  }
}

function requestOf(c: Context, config: TokenSource): HonoHostRequest {
  return new HonoHostRequest(c, c.req.raw, config as Source | undefined)
}

function replace(c: Context, answer: Response): void {
  // Otherwise Hono would overwrite this answer's headers with those of the previous one.
  if (answer !== c.res) c.res = undefined
  c.res = answer
}
