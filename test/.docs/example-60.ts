import { protectMcp } from '@latchkey/session'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'

const handler = createMcpHandler(() => new McpServer({ name: 'notes', version: '1.0.0' }))
const protect = protectMcp({
  audience: 'https://notes.example.com/mcp',
  scope: 'notes:read',
  worker: 'https://example.com/auth',
})

export default {
  async fetch(request: Request, _: unknown, ctx: ExecutionContext): Promise<Response> {
    const found = await protect(request, { waitUntil: (work) => ctx.waitUntil(work) })
    if (found instanceof Response) return found
    return handler.fetch(request, { authInfo: found })
  },
}
