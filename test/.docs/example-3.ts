import { protectMcp } from '@latchkey/session'

const protect = protectMcp({
  audience: 'https://example.com/mcp',
  scope: 'notes:read',
  worker: 'https://example.com/auth',
})

export async function serve(request: Request): Promise<Response> {
  const found = await protect(request)
  if (found instanceof Response) return found
  // Hand the token to the MCP SDK: handler.fetch(request, { authInfo: found })
  return Response.json({ user: found.sub })
}
