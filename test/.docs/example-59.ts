import { protectMcp } from '@latchkey/hono'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { Hono } from 'hono'

const handler = createMcpHandler(() => new McpServer({ name: 'notes', version: '1.0.0' }))
const protect = protectMcp(
  { audience: 'https://notes.example.com/mcp', scope: 'notes:read' },
  { worker: 'https://example.com/auth' },
)

export const app = new Hono()
  .use(protect)
  .all('/mcp', (c) => handler.fetch(c.req.raw, { authInfo: c.var.token }))
