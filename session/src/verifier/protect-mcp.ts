import type { AccessToken } from './access-token-reader.js'
import { type AccessVerifierOptions, createTokenReader } from './create-token-verifier.js'
import { type McpOptions, McpResource } from './mcp-resource.js'
import { serviceOf } from './options.js'
import type { WaitUntil } from './poller.js'
import { refusalResponse } from './refusal-response.js'
import { WorkerUnavailable } from './worker-client.js'

/** An MCP server, and how its tokens are verified. */
export type ProtectMcpOptions = McpOptions & AccessVerifierOptions

/**
 * Guards an MCP server that is reached by standard requests. It answers the metadata of the resource (RFC 9728),
 * preflights, and requests without a token that suffices; elsewhere it answers 404.
 *
 * @returns a function: return a `Response` that it gives you; go on with a token, which is the `authInfo` of the MCP
 *   SDK. Add `Access-Control-Allow-Origin: *` to your own answers if browsers call the server.
 * @example
 * const protect = protectMcp({ audience: 'https://example.com/mcp', scope: 'notes:read', worker: 'https://example.com/auth' })
 * export default {
 *   async fetch(request, env, ctx) {
 *     const found = await protect(request, { waitUntil: (work) => ctx.waitUntil(work) })
 *     return found instanceof Response ? found : handler.fetch(request, { authInfo: found })
 *   },
 * }
 * @throws {TypeError | SecretError | KeyError} as `createTokenVerifier`
 */
export function protectMcp(
  options: ProtectMcpOptions,
): (
  request: Request,
  context?: { readonly waitUntil?: WaitUntil },
) => Promise<AccessToken | Response> {
  const resource = new McpResource(options)
  const { issuer } = serviceOf(options)
  if (issuer === undefined) throw new TypeError('`protectMcp` needs the issuer.')
  const { metadata } = resource
  const { reader } = createTokenReader({ ...options, metadata })
  const needs = { scope: options.scope }

  return async ({ method, url, headers }, { waitUntil } = {}) => {
    const place = resource.placeOf(method, new URL(url).pathname)
    if (place === 'elsewhere') return new Response('Not found', { status: 404 })
    if (method === 'OPTIONS')
      return resource.preflight(headers.get('access-control-request-headers'))
    if (place === 'metadata') return resource.answerMetadata(method, issuer, false)
    try {
      const authorization = headers.get('authorization')
      const { token, refusal } = await reader.read(authorization, needs, waitUntil, { issuer })
      return refusal ? refusalResponse(refusal, McpResource.cors) : token
    } catch (error) {
      if (!(error instanceof WorkerUnavailable)) throw error
      const silence = error.getResponse()
      for (const [name, value] of Object.entries(McpResource.cors)) silence.headers.set(name, value)
      return silence
    }
  }
}
